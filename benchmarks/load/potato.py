"""The same work in Potato (potato-annotation from PyPI): a folder that its server can run."""

from __future__ import annotations

import json
from pathlib import Path

from load.folder import PEOPLE, TASKS

_CONFIG = """
annotation_task_name: bench
task_dir: .
output_annotation_dir: annotation_output
output_annotation_format: jsonl
data_files: [items.jsonl]
item_properties: {{id_key: id, text_key: text}}
user_config: {{allow_all_users: true, users: []}}
require_password: false
login: {{type: url_direct, url_argument: PROLIFIC_PID}}
completion_code: C1BENCH
assignment_strategy: batch
max_annotations_per_user: {tasks}
max_annotations_per_item: {people}
batch_assignment:
  auto_assign_annotators: true
  groups:
{groups}
annotation_schemes:
  - annotation_type: radio
    name: preference
    description: Which version keeps the meaning better?
    labels: [A, B]
alert_time_each_instance: 100000
session_lifetime_days: 1
"""


def make_potato(folder: Path, batches: int) -> Path:
    """Write configuration and items; gives the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = [[f"b{batch:04}-{task:02}" for task in range(TASKS)] for batch in range(batches)]
    text = " ".join(["the old town council will vote on a new bridge"] * 14)
    lines = (json.dumps({"id": each, "text": f"{each} {text}"}) for own in ids for each in own)
    (folder / "items.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    groups = "\n".join(
        f"    - {{name: g{number}, max_annotators: {PEOPLE}, instances: {json.dumps(own)}}}"
        for number, own in enumerate(ids)
    )
    config = folder / "config.yaml"
    config.write_text(_CONFIG.format(tasks=TASKS, people=PEOPLE, groups=groups), encoding="utf-8")
    return config
