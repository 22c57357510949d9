"""A seed that ends before it is a task, with the reason a person is shown."""

from facet.errors import FacetError


class SeedDropped(FacetError):
    """The seed cannot become a task; the message is the reason."""
