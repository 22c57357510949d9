"""Stages: one file per model call or loop around one. They take a caller, never a provider."""
