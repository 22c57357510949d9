"""Public files a manifest names: fetched once on the host, checked by sha256, kept in the cache.

What is in the cache (or already in the build context) is never fetched again, so a server that
has gone hurts nobody. Errors: `BuildError` when the resource itself is wrong (refused address, no
such file, too long, other content), `EngineError` when the network failed us (the work is owed).
Not covered: servers that need a login.
"""

import hashlib
import http.client
import ipaddress
import os
import re
import socket
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import unquote, urljoin, urlsplit

from facet.config import load_config
from facet.dockerfile import RESOURCES
from facet.errors import BuildError, EngineError
from facet.types.manifest import Resource
from facet.types.task import Environment, TextFile
from facet.types.value import Value

HARD_LIMIT = 200_000_000  # bytes, whatever the manifest allows
CHUNK = 1 << 16


class FetchPolicy(Value):
    """What may be fetched. The default: public http and https servers only."""

    schemes: tuple[str, ...] = ("http", "https")
    private_hosts: bool = False  # also loopback and private networks
    file_roots: tuple[Path, ...] = ()  # with "file" in schemes: folders it may read from
    max_redirects: int = 5
    timeout_s: float = 300.0  # of one resource


DEFAULT_POLICY = FetchPolicy()


def with_resources(
    environment: Environment,
    *,
    policy: FetchPolicy = DEFAULT_POLICY,
    cache: Path | None = None,
    more_caches: tuple[Path, ...] = (),
) -> Environment:
    """The environment with every resource of its manifest at `resources/<name>` of the context."""
    if environment.manifest is None:
        return environment
    files = environment.files
    for resource in environment.manifest.resources:
        path = f"{RESOURCES}/{resource.name}"
        present = files.get(path)
        if present is not None and hashlib.sha256(present.data).hexdigest() == resource.sha256:
            continue
        data = fetch(resource, policy=policy, cache=cache, more_caches=more_caches)
        files = files.with_file(TextFile(path=path, data=data))
    return environment.model_copy(update={"files": files})


def fetch(
    resource: Resource,
    *,
    policy: FetchPolicy = DEFAULT_POLICY,
    cache: Path | None = None,
    more_caches: tuple[Path, ...] = (),
) -> bytes:
    """Bytes of the resource, from the cache or its server."""
    if not re.fullmatch(r"[0-9a-f]{64}", resource.sha256):
        raise BuildError(f"resource {resource.name}: {resource.sha256!r} is not a sha256 in hex")
    limit = min(resource.max_bytes, HARD_LIMIT)
    folder = (cache or load_config().cache) / "resources"
    for place in (folder, *more_caches):
        found = _cached(place / resource.sha256, resource.sha256, limit)
        if found is not None:
            return found
    data = b"".join(_download(resource, policy, limit))
    digest = hashlib.sha256(data).hexdigest()
    if digest != resource.sha256:
        raise BuildError(
            f"resource {resource.name}: {resource.url} has sha256 {digest},"
            f" the manifest says {resource.sha256}"
        )
    _keep(folder / digest, data)
    return data


def _cached(path: Path, sha256: str, limit: int) -> bytes | None:
    try:
        if path.stat().st_size > limit:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None


def _keep(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except OSError as error:
        raise EngineError(f"cannot keep a resource in {path.parent}: {error}") from error


def _download(resource: Resource, policy: FetchPolicy, limit: int) -> Iterator[bytes]:
    name, until = resource.name, time.monotonic() + policy.timeout_s
    total = 0
    with _open(resource, policy) as response:
        while True:
            try:
                chunk = response.read(CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise EngineError(f"resource {name}: the transfer broke off: {error}") from error
            if not chunk:
                promised = getattr(response, "headers", {}).get("Content-Length") or ""
                if promised.isdigit() and total < int(promised):
                    raise EngineError(f"resource {name}: the transfer broke off at {total} bytes")
                return
            total += len(chunk)
            if total > limit:
                raise BuildError(f"resource {name}: {resource.url} is longer than {limit} bytes")
            if time.monotonic() > until:
                raise EngineError(f"resource {name}: not here within {policy.timeout_s:g} s")
            yield chunk


def _open(resource: Resource, policy: FetchPolicy) -> Any:
    """A readable answer for the resource's address, redirects followed and each one checked."""
    url = resource.url
    for _ in range(policy.max_redirects + 1):
        scheme = urlsplit(url).scheme.lower()
        if scheme not in policy.schemes:
            raise BuildError(f"resource {resource.name}: {scheme or 'no'} address is not allowed")
        if scheme == "file":
            return _open_file(resource.name, url, policy)
        _check_host(resource.name, url, policy)
        answer = _request(resource.name, url, min(policy.timeout_s, 60.0))
        if answer.status in (301, 302, 303, 307, 308):
            url = urljoin(url, answer.headers.get("Location") or "")
            answer.close()
            if urlsplit(url).scheme.lower() == "file":
                raise BuildError(f"resource {resource.name}: redirected to a file address")
            continue
        if answer.status != 200:
            answer.close()
            kind = (
                EngineError if answer.status >= 500 or answer.status in (408, 429) else BuildError
            )
            raise kind(f"resource {resource.name}: {url} answers {answer.status}")
        return answer
    raise BuildError(
        f"resource {resource.name}: more than {policy.max_redirects} redirects from {resource.url}"
    )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects come back as answers: each hop is checked before it is followed."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> None:
        return None


def _request(name: str, url: str, timeout_s: float) -> Any:
    opener = urllib.request.build_opener(_NoRedirect())
    request = urllib.request.Request(url, headers={"User-Agent": "facet", "Accept-Encoding": ""})
    try:
        return opener.open(request, timeout=timeout_s)
    except urllib.error.HTTPError as error:
        return error  # an answer with another status
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise EngineError(f"resource {name}: {url} cannot be reached: {reason}") from error
    except ValueError as error:
        raise BuildError(f"resource {name}: {url!r} is not an address: {error}") from error


def _check_host(name: str, url: str, policy: FetchPolicy) -> None:
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise BuildError(f"resource {name}: {url!r} is not an address: {error}") from error
    if not host or parts.username or parts.password:
        raise BuildError(f"resource {name}: {url!r} has no host, or a login in it")
    if policy.private_hosts:
        return
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise EngineError(f"resource {name}: host {host} is not found: {error}") from error
    for entry in found:
        address = ipaddress.ip_address(str(entry[4][0]).partition("%")[0])
        if not address.is_global:
            raise BuildError(f"resource {name}: host {host} is in a private network ({address})")


def _open_file(name: str, url: str, policy: FetchPolicy) -> IO[bytes]:
    path = Path(unquote(urlsplit(url).path))
    real = path.resolve()
    roots = [root.resolve() for root in policy.file_roots]
    if not any(real.is_relative_to(root) for root in roots):
        raise BuildError(f"resource {name}: {PurePosixPath(path)} lies outside the allowed folders")
    if not real.is_file():
        raise BuildError(f"resource {name}: {path} is not a regular file")
    return real.open("rb")
