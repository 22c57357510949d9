"""The screening rules: a table that the app and the documentation also show.

`drop` rules say why a skill cannot become raw material; `warn` rules only tell. What must be true
together is the signal (a prerequisite that fetches *and* runs something), single words are not:
phrase lists mostly reject security documentation. Each rule is a pure function from a document to
the first places that fire. Not covered: program text that hides its purpose.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from facet.skills.document import Document, Hit, hit, quoted

Find = Callable[[Document], Iterator[Hit]]
Effect = Literal["drop", "warn"]
Group = Literal["unsafe", "private or account", "unreadable", "not for a terminal", "duplicate"]


class Rule(NamedTuple):
    """One screening rule."""

    name: str
    group: Group
    effect: Effect
    reason: str  # one sentence for a person
    find: Find


def _rx(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def lines(
    pattern: str,
    *hints: str,
    unless: Literal["nothing", "both", "either"] = "both",
    main_only: bool = False,
) -> Find:
    """A rule on lines that match; `unless` the skill is defensive and/or the hit is quoted."""
    compiled = _rx(pattern)

    def find(doc: Document) -> Iterator[Hit]:
        for file, match in doc.search(compiled, hints, main_only=main_only):
            excuses = (doc.defensive, unless != "nothing" and quoted(file, match.start()))
            excused = {"nothing": False, "both": all(excuses), "either": any(excuses)}[unless]
            if not excused:
                yield hit(file, match.start())

    return find


BASE64 = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
RUNS = _rx(r"\b(?:curl|wget|bash -c|/bin/(?:ba)?sh|powershell|invoke-webrequest|iex)\b")
TO_SHELL = _rx(r"base64\s+(?:-d|-D|--decode|-di)\b[^\n]{0,40}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b")


def _encoded_to_shell(doc: Document) -> Iterator[Hit]:
    """base64 decoded into a shell, or a long base64 text that decodes to a fetching command."""
    for file, match in doc.search(TO_SHELL, ("base64",)):
        if not (doc.defensive and quoted(file, match.start())):
            yield hit(file, match.start())
    for file, match in doc.search(BASE64):
        text = match[0]
        try:
            plain = base64.b64decode(text + "=" * (-len(text) % 4))[:4000].decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if RUNS.search(plain) and not (doc.defensive and quoted(file, match.start())):
            yield hit(file, match.start())


SECRETS = (
    r"(?:~/|\$HOME/|/home/[^\s/]+/|/root/)?\.(?:ssh/id_\w+|ssh/\*|aws/credentials|netrc|npmrc|"
    r"config/gcloud|kube/config|gnupg|env\b)|/etc/shadow|process\.env\)|login\.keychain|"
    r"wallet\.dat|seed phrase|JSON\.stringify\(process\.env"
)
SENDS = _rx(
    r"webhook\.site|requestbin|pipedream\.net|discord(?:app)?\.com/api/webhooks|api\.telegram\.org"
    r"|ngrok|transfer\.sh|file\.io|0x0\.st|pastebin\.com/api|curl[^\n]{0,200}"
    r"(?:-d\s*@|--data(?:-binary)?[= ]@|-F\s+\S*=?@|-T\s|--upload-file)|requests\.post\(|fetch\("
    r"[^\n]{0,120}method:\s*['\"]POST"
)
SECRET_READ = _rx(SECRETS)
NEAR = 300  # characters between reading a secret and sending it


def _exfiltration(doc: Document) -> Iterator[Hit]:
    """A credential file and a sending command close together."""
    for file, match in doc.search(SENDS, ("http", "curl", "webhook", "ngrok", ".io", ".st")):
        text = file.text or ""
        around = text[max(0, match.start() - NEAR) : match.end() + NEAR]
        found = SECRET_READ.search(around)
        if found and _reads(around, found) and not (doc.defensive or quoted(file, match.start())):
            yield hit(file, match.start())


def _reads(around: str, found: re.Match[str]) -> bool:
    """Is the secret itself read or sent (cat, @, open), not only named as where a key is kept?"""
    before = around[max(0, found.start() - 60) : found.start()]
    return bool(re.search(r"cat\s|@|open\(|read\w*\(|<\s*$|tar\s|zip\s|scp\s|POST", before))


URL_HOST = re.compile(
    r"(?:\b(?:https?|wss?|ftp|sftp|ssh|mqtts?|redis|postgres(?:ql)?|mysql|mongodb|smb|rtsp)://"
    r"(?:[^\s/@'\"`<>]{1,80}@)?|\b(?:ssh|scp|rsync|ping|nc|telnet|nmap)\s+(?:-\S+\s+)*"
    r"(?:[\w.-]{1,40}@)?)(?P<host>(?:\d{1,3}\.){3}\d{1,3}|[a-z0-9][a-z0-9.-]*\."
    r"(?:internal|lan|corp|intranet))\b(?!/\d)",
    re.IGNORECASE,
)
CLUSTER = re.compile(r"\.svc(?:\.cluster)?|metadata\.google|docker\.internal", re.IGNORECASE)


def _private_network(doc: Document) -> Iterator[Hit]:
    """SKILL.md connects to (not: mentions) an address of a private network."""
    for file, match in doc.search(URL_HOST, main_only=True):
        host = match["host"].lower()
        if CLUSTER.search(host) or quoted(file, match.start()):
            continue
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            if host[0].isdigit():
                continue
            yield hit(file, match.start())
            continue
        if address in CGNAT or (
            address.is_private
            and not (address.is_loopback or address in DOCUMENTATION)
            and not address.is_unspecified
        ):
            yield hit(file, match.start())


CGNAT = ipaddress.ip_network("100.64.0.0/10")


class _Networks(tuple[ipaddress.IPv4Network, ...]):
    def __contains__(self, address: object) -> bool:
        return any(address in network for network in self)


DOCUMENTATION = _Networks(
    ipaddress.IPv4Network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
)
"""Reserved for examples: treated as ordinary public addresses."""

DECLARED_KEY = _rx(
    r"[\"']?primaryEnv[\"']?\s*:\s*[\"']?\w|[\"']?env[\"']?\s*:\s*\[\s*[\"']?[A-Z]\w+"
)
KEY_USE = re.compile(
    r"\b[A-Z][A-Z0-9_]*(?:API_?KEY|_TOKEN|_SECRET|ACCESS_KEY|_PASSWORD|CLIENT_ID)\b"
    r"|Authorization:\s*Bearer|[Xx]-[Aa][Pp][Ii]-[Kk]ey"
)
KEY_GET = _rx(
    r"(?:get|create|obtain|generate|request|need|requires?|your|set|provide|valid|with|an)\s"
    r"[^\n.]{0,50}\b(?:api[ -]?keys?|access tokens?|api tokens?|credentials|bot token|account)\b"
    r"|sign(?:ed)?[ -](?:up|in|into)|log[ -]?in to|oauth|subscription"
)


def _account(doc: Document) -> Iterator[Hit]:
    """A key is declared as required, or keys are used in code and the text says to get one."""
    declared = DECLARED_KEY.search(doc.text[:4000])
    if declared:
        yield hit(doc.main, declared.start())
        return
    used = list(KEY_USE.finditer(doc.text))
    told = KEY_GET.search(doc.text)
    if len(used) >= 2 and told:
        yield hit(doc.main, used[0].start())


REMOTE = _rx(
    r"(?:curl|wget|http|fetch\(|requests\.(?:get|post|put|delete)\(|axios|urlopen\()[^\n]{0,160}?"
    r"https?://(?!localhost|127\.|0\.0\.0\.0|[^\s/]*example|\$|\{)[\w.-]+\.\w{2,}"
)


def _remote_service(doc: Document) -> Iterator[Hit]:
    """The commands shown talk to a service on the internet, again and again."""
    calls = [m for m in REMOTE.finditer(doc.text) if not _installs(m[0])]
    if len(calls) >= 3:
        yield hit(doc.main, calls[0].start())


def _installs(text: str) -> bool:
    return bool(
        re.search(r"install|\.deb\b|\.tar|\.zip|releases/download|get-pip|nodesource", text)
    )


TOOL = re.compile(
    r"\b(?:browser|playwright|puppeteer|selenium|chrome|screenshot|figma|photoshop|powerpoint"
    r"|ios|iphone|ipad|android|xcode|swiftui|applescript|siri|sonos|spotify|homekit|smart home"
    r"|bluetooth|camera|microphone|voice|speech|tts|image generation|generate images?|text-to-image"
    r"|video generation|avatar|midjourney|unity|unreal|desktop app|gui|mobile app|react native"
    r"|expo|flutter|web ?app ui|ui design|landing page)\b",
    re.IGNORECASE,
)
OS_ONLY = _rx(r"[\"']?os[\"']?\s*:\s*\[\s*[\"']?(?:darwin|win32|macos|windows)[\"']?\s*\]")
MAC = re.compile(r"\bosascript\b|\bmacOS[ -]only\b|\bpbcopy\b|\bdefaults write\b|/Applications/")


def _desktop(doc: Document) -> Iterator[Hit]:
    """It is about a screen, a device or another operating system."""
    declared = OS_ONLY.search(doc.text[:4000])
    if declared:
        yield hit(doc.main, declared.start())
        return
    if TOOL.search(doc.head):
        yield Hit(doc.main.path, 1, " ".join(doc.head.split())[:200])
        return
    found = list(MAC.finditer(doc.text))
    if len(found) >= 2:
        yield hit(doc.main, found[0].start())


COMMANDS = re.compile(
    r"```|~~~|^(?: {4}|\t)\S|^\s*\$ \S"
    r"|`[^`\n]*(?:\.\w{1,5}|/|--?\w|\bgit\b|\bnpm\b|\bpython\b)[^`\n]*`",
    re.MULTILINE,
)


def _no_commands(doc: Document) -> Iterator[Hit]:
    """Neither a command, nor a file, nor code: advice or a persona."""
    if not COMMANDS.search(doc.skill.body):
        yield Hit(doc.main.path, 1, " ".join(doc.head.split())[:200])


MIN_BODY = 100


def _no_procedure(doc: Document) -> Iterator[Hit]:
    """The body is empty, or too short to be a procedure."""
    if len("".join(doc.skill.body.split())) < MIN_BODY:
        yield Hit(doc.main.path, 1, " ".join(doc.skill.body.split())[:200])


def _placeholder(doc: Document) -> Iterator[Hit]:
    """A template that nobody filled in."""
    todo = list(re.finditer(r"\[?TODO[:\]]|\[(?:Your|Insert|Add) [^\]]{3,60}\]", doc.text))
    if len(todo) >= 5 and len(doc.text) < 6000:
        yield hit(doc.main, todo[0].start())


DANGEROUS_TARGET = r"(?:/|~|\$HOME|/\*|~/\*|\$HOME/\*|/(?:etc|usr|var|home|boot|bin|lib)/?\*?)"

RULES: tuple[Rule, ...] = (
    Rule(
        "password-archive", "unsafe", "drop",
        "it wants an archive with a password unpacked: scanners cannot look inside",
        lines(
            r"(?:extract|unzip|unpack|archive|\.zip|\.rar|\.7z|\.dmg)[^\n]{0,120}?(?:\bpass(?:word|"
            r"code|phrase)?\s*(?:[:=]|is\b)|extract(?:ed)? (?:it )?using:?|using pass)",
            "pass", "extract using",
        ),
    ),
    Rule(
        "run-download", "unsafe", "drop",
        "a prerequisite downloads a program and runs it",
        lines(
            r"download[^\n]{0,250}\b(?:run|execute|launch|open)\s+(?:the|it|this)?\s*"
            r"(?:executable|installer|binary|\.exe|program)",
            "download",
        ),
    ),
    Rule(
        "paste-from-page", "unsafe", "drop",
        "it wants commands copied from a web page and pasted into a terminal",
        lines(
            r"(?:visit|go to|open|copy)[^\n]{0,200}(?:https?://|this page|this link)[^\n]{0,200}"
            r"(?:past(?:e|ing)|execut\w+|run)[^\n]{0,80}"
            r"(?:terminal|command prompt|powershell|shell)",
            "terminal", "command prompt", "powershell", "shell",
        ),
    ),
    Rule(
        "encoded-to-shell", "unsafe", "drop",
        "it decodes base64 text into a shell, or hides a fetching command in base64",
        _encoded_to_shell,
    ),
    Rule(
        "fetch-to-shell-by-address", "unsafe", "drop",
        "it pipes a download from a bare address, paste site or link shortener into a shell",
        lines(
            r"(?:curl|wget|iwr|invoke-webrequest)[^\n|]{0,200}https?://(?:(?:\d{1,3}\.){3}\d{1,3}|"
            r"(?:www\.)?(?:pastebin|rentry|glot|hastebin|paste|ghostbin|bit|tinyurl|is|t)\.\w+/)"
            r"[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
            "curl", "wget", "iwr",
        ),
    ),
    Rule(
        "exfiltration", "unsafe", "drop",
        "it reads a credential file and sends it away",
        _exfiltration,
    ),
    Rule(
        "reverse-shell", "unsafe", "drop",
        "it opens a shell to another host",
        lines(
            r"bash\s+-i\s*>&\s*/dev/tcp/|\bnc(?:at)?\s+(?:-\w+\s+)*-e\s*/bin/(?:ba)?sh"
            r"|mkfifo[^\n]{0,60}/bin/(?:ba)?sh[^\n]{0,60}\bnc\b",
            "/dev/tcp", "/bin/", unless="either",
        ),
    ),
    Rule(
        "destructive", "unsafe", "drop",
        "it deletes a whole system or home folder, or overwrites a disk",
        lines(
            r"\brm\s+(?:-[a-z]*[rf][a-z]*\s+)+(?:--no-preserve-root\s+)?" + DANGEROUS_TARGET
            + r"(?=[\s\"'`;&|)]|$)|\bmkfs\.\w+\s+/dev/[sn]|\bdd\s+if=\S+\s+of=/dev/(?:sd|nvme|disk)"
            r"|:\(\)\s*\{\s*:\|:&\s*\};:",
            "rm ", "mkfs", "dd ", ":()", unless="either",
        ),
    ),
    Rule(
        "miner", "unsafe", "drop",
        "it mines cryptocurrency",
        lines(
            r"\bxmrig\b|stratum\+tcp://|\bminerd\b", "xmrig", "stratum", "minerd", unless="either"
        ),
    ),
    Rule(
        "hidden-text", "unsafe", "drop",
        "it holds characters that a person cannot see and a model reads",
        lines("[\U000e0020-\U000e007f\u202a-\u202e\u2066-\u2069]", unless="nothing"),
    ),
    Rule(
        "hides-from-user", "unsafe", "warn",
        "it tells the agent to ignore its instructions or to hide something",
        lines(
            r"ignore (?:all |any )?(?:previous|prior|above) instructions|do not (?:tell|inform|"
            r"mention (?:this )?to) the user|without (?:telling|informing) the user",
            "instructions", "the user",
        ),
    ),
    Rule(
        "installer-to-shell", "unsafe", "warn",
        "it pipes a download into a shell",
        lines(r"(?:curl|wget)[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b", "curl", "wget"),
    ),
    Rule(
        "secret-literal", "unsafe", "warn",
        "it holds what looks like a live key",
        lines(
            r"\bAKIA[0-9A-Z]{16}\b|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|\bgh[pousr]_[A-Za-z0-9]{36}"
            r"|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----",
        ),
    ),
    Rule(
        "private-network", "private or account", "drop",
        "it works on machines of a private network",
        _private_network,
    ),
    Rule(
        "account", "private or account", "drop",
        "it needs a key or an account at somebody's service",
        _account,
    ),
    Rule(
        "remote-service", "private or account", "drop",
        "its commands talk to a service on the internet",
        _remote_service,
    ),
    Rule(
        "no-procedure", "unreadable", "drop",
        f"it has fewer than {MIN_BODY} characters of text",
        _no_procedure,
    ),
    Rule("template", "unreadable", "drop", "it is a template that nobody filled in", _placeholder),
    Rule(
        "desktop", "not for a terminal", "drop",
        "it is about a screen, a device or another operating system",
        _desktop,
    ),
    Rule(
        "no-commands", "not for a terminal", "drop",
        "it shows neither a command nor a file: nothing that a terminal can check",
        _no_commands,
    ),
)  # fmt: skip
"""Every rule on a single skill, in the order in which findings are listed."""

CORPUS_RULES: dict[str, tuple[Group, str]] = {
    "exact-duplicate": ("duplicate", "the same text was already read as another skill"),
    "near-duplicate": ("duplicate", "almost the same text was already read as another skill"),
    "oversized": ("unreadable", "it is too large to be screened as a whole"),
    "untidy": ("unreadable", "something about its form had to be mended (a note, drops nothing)"),
}
"""Rules that need more than one skill, or that reading applies: group and meaning."""
