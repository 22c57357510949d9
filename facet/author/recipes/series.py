"""Time series: add up partial readings with gaps and sentinels; make a daily series."""

from facet.author.recipe import Recipe
from facet.author.sinks.series import Daily
from facet.author.sources.series import Readings

SERIES = Recipe(
    name="series",
    title="clean and resample time series",
    family="time series",
    patterns=(
        r"\btime[- ]?series\b",
        r"\b(moving average|rolling (mean|window)|resampl\w+|daily (totals|figures|series))\b",
        r"\b(sensor|telemetry|metrics?|weather|temperature|price|usage|heart rate|sleep)\b.{0,40}"
        r"\b(data|history|readings?|trends?|log|values)\b",
        r"\b(trend|anomal\w+|forecast\w*|track\w*)\b.{0,40}\b(over time|daily|history|metrics)\b",
    ),
    source=Readings(),
    sink=Daily(),
    source_title="decode the device's readings",
    sink_title="make a gapless daily series",
)
