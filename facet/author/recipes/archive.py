"""Archives: take over a delivery with checksums; pack a backup that proves itself."""

from facet.author.recipe import Recipe
from facet.author.sinks.archive import Backup
from facet.author.sources.archive import Delivery

ARCHIVE = Recipe(
    name="archive",
    title="unpack and pack archives with checksums",
    family="archives",
    patterns=(
        r"\b(tarball|tar\.gz|\.tgz|zip files?|zip archives?|gzip|unzip)\b",
        r"\bbackups?\b.{0,50}\b(restor|creat|verif|schedul|automat|integrity|file|strateg|data)\w*",
        r"\b(creat|restor|verif|automat|schedul|encrypt)\w*\b.{0,30}\bbackups?\b",
        r"\b(checksums?|sha-?256|md5sum)\b",
    ),
    source=Delivery(),
    sink=Backup(),
    source_title="take over the delivery from the archive",
    sink_title="pack it as a backup with checksums",
    tools=("tar", "sha256sum", "python3"),
)
