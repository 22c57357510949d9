"""The environment's plan against what a container of it really holds, item by item."""

from typing import Literal

import pandas as pd
import streamlit as st

from facet.types.manifest import Manifest, PlannedFile, RealizedManifest
from facet.types.value import Value
from facet.ui.text import count, line, size, table_height

Standing = Literal["as planned", "differs", "not probed"]
MARKS: dict[Standing, str] = {
    "as planned": "✓ as planned",
    "differs": "✗ differs",
    "not probed": "· not probed",
}


class ManifestRow(Value):
    """One planned item beside what was found."""

    what: str
    name: str
    planned: str
    found: str
    standing: Standing


def manifest_rows(planned: Manifest, realized: RealizedManifest | None) -> list[ManifestRow]:
    """Every planned item in the manifest's order; what nobody probed is not "as planned"."""
    faults = {(m.what, m.name): m for m in realized.mismatches} if realized else {}

    def row(what: str, name: str, plan: str, found: str | None) -> ManifestRow:
        wrong = next((m for (w, n), m in faults.items() if n == name and w == what), None)
        if wrong is not None:
            return ManifestRow(
                what=what, name=name, planned=plan, found=wrong.found, standing="differs"
            )
        if realized is None or found is None:
            return ManifestRow(what=what, name=name, planned=plan, found="", standing="not probed")
        return ManifestRow(what=what, name=name, planned=plan, found=found, standing="as planned")

    files = {f.path: f for f in realized.files} if realized else {}
    packages = {p.name: p for p in realized.packages} if realized else {}
    services = {s.name: s for s in realized.services} if realized else {}
    env = dict(realized.env) if realized else {}
    rows = [
        row(
            "workdir",
            planned.workdir,
            planned.workdir,
            realized.workdir if realized else None,
        )
    ]
    for file in planned.files:
        real = files.get(file.path)
        found = None
        if real is not None:
            parts = [real.kind if real.kind != "file" else size(real.size), real.mode, real.owner]
            found = " ".join(p for p in parts if p) + (f" → {real.target}" if real.target else "")
        rows.append(row("file", file.path, _plan(file), found))
    for package in planned.packages:
        got = packages.get(package.name)
        plan = f"{package.kind} {package.version or 'any version'}"
        rows.append(row("package", package.name, plan, got.version if got else None))
    for service in planned.services:
        seen = services.get(service.name)
        found = None
        if seen is not None:
            port = (
                "" if seen.port_open is None else f", port {'open' if seen.port_open else 'shut'}"
            )
            found = f"{'running' if seen.running else 'not running'}{port}"
        where = f":{service.port}" if service.port else ""
        rows.append(row("service", service.name, f"{service.command}{where}", found))
    for user in planned.users:
        known = realized is not None and user.name in realized.users
        rows.append(row("user", user.name, user.home or f"/home/{user.name}", _yes(known)))
    for name, value in planned.env:
        rows.append(row("env", name, value, env.get(name)))
    for resource in planned.resources:
        rows.append(row("resource", resource.name, resource.url, "in the build context"))
    seen_rows = {(r.what, r.name) for r in rows}
    for (what, name), fault in faults.items():
        if (what, name) not in seen_rows:
            rows.append(
                ManifestRow(
                    what=what,
                    name=name,
                    planned=fault.planned,
                    found=fault.found,
                    standing="differs",
                )
            )
    return rows


def _plan(file: PlannedFile) -> str:
    if file.kind == "dir":
        body = "dir"
    elif file.kind == "link":
        body = f"link → {file.target}"
    elif file.resource:
        body = f"resource {file.resource}"
    else:
        body = size(len(file.data or b""))
    return f"{body} {file.mode} {file.owner}"


def _yes(known: bool) -> str | None:
    return "exists" if known else None


def manifest_table(planned: Manifest | None, realized: RealizedManifest | None) -> None:
    """The table with a line of totals above it."""
    if planned is None:
        st.caption("This task carries no manifest: its environment is a Dockerfile alone.")
        return
    rows = manifest_rows(planned, realized)
    differ = sum(r.standing == "differs" for r in rows)
    good = sum(r.standing == "as planned" for r in rows)
    if realized is None:
        st.markdown(":gray[:material/help: not probed yet: no image was built from this version]")
    elif differ:
        st.markdown(f":red[:material/cancel: {differ} of {len(rows)} items differ from the plan]")
    else:
        st.markdown(
            f":green[:material/check_circle: {good} of {len(rows)} planned items found as planned]"
        )
    frame = pd.DataFrame(
        [
            {
                "what": r.what,
                "name": line(r.name, 160),
                "planned": line(r.planned, 200),
                "found": line(r.found, 200),
                "standing": MARKS[r.standing],
            }
            for r in rows
        ]
    )
    st.dataframe(
        frame,
        hide_index=True,
        height=table_height(len(rows), limit=430),
        column_config={
            "what": st.column_config.TextColumn(width="small"),
            "standing": st.column_config.TextColumn(width="small"),
        },
        alt="Planned items beside what the container holds",
    )
    facts = [f"base {line(planned.base, 60)}"]
    if realized is not None and realized.image:
        facts.append(f"image {line(realized.image.removeprefix('sha256:')[:12], 20)}")
    if realized is not None and realized.architecture:
        facts.append(line(realized.architecture, 20))
    st.caption(" · ".join(facts))
    if planned.setup:
        with st.expander(f"Setup at build time, {count(len(planned.setup), 'command')}"):
            st.code("\n".join(line(c, 500) for c in planned.setup), language="bash")
    if planned.generator:
        with st.expander("Script that made the fixtures (provenance, not run in the image)"):
            st.code(planned.generator[:60_000], language="python", line_numbers=True, height=300)
