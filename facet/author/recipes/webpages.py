"""HTML: scrape records from saved pages; render a page that browsers and tests can read."""

from facet.author.recipe import Recipe
from facet.author.sinks.webpages import Rendered
from facet.author.sources.webpages import Saved

WEBPAGES = Recipe(
    name="webpages",
    title="scrape and render HTML pages",
    family="web pages",
    patterns=(
        r"\bhtml\b",
        r"\b(scrap(e|es|ing|er)|crawl\w*|web ?pages?|web content|parse the page)\b",
        r"\b(landing|static) (pages?|sites?)\b",
    ),
    source=Saved(),
    sink=Rendered(),
    source_title="scrape the records from the saved pages",
    sink_title="render them as one HTML page",
)
