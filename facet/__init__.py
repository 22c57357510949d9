"""FACET: public agent skills become validated terminal tasks, and one app curates them."""

__version__ = "0.1.0"
