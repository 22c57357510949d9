"""Tests of acceptance."""
