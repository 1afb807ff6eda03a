"""Bundles: a study as one archive that another lab can check and run again."""

from rejudge.bundle.archive import LIMITS, Limits
from rejudge.bundle.build import Finished, Packed, bundle
from rejudge.bundle.manifest import (
    LICENCES,
    ORIGINAL,
    REPRODUCES,
    REPRODUCES_CODEC,
    Impact,
    Interface,
    Licence,
    Manifest,
    Reproduces,
    StatedChange,
    licence_of,
    origin_of,
)
from rejudge.bundle.privacy import Holding, Known, archives_with
from rejudge.bundle.reader import Bundle, Difference, load_bundle, open_bundle, read_bundle
from rejudge.bundle.reproduction import (
    Reproduction,
    Wish,
    needs_reason,
    reproduce,
    study_id,
    untold,
    with_reasons,
)
from rejudge.bundle.runs import original_of, original_run_of, run_of
from rejudge.bundle.verification import Verification, verify

__all__ = [
    "LICENCES",
    "LIMITS",
    "ORIGINAL",
    "REPRODUCES",
    "REPRODUCES_CODEC",
    "Bundle",
    "Difference",
    "Finished",
    "Holding",
    "Impact",
    "Interface",
    "Known",
    "Licence",
    "Limits",
    "Manifest",
    "Packed",
    "Reproduces",
    "Reproduction",
    "StatedChange",
    "Verification",
    "Wish",
    "archives_with",
    "bundle",
    "licence_of",
    "load_bundle",
    "needs_reason",
    "open_bundle",
    "origin_of",
    "original_of",
    "original_run_of",
    "read_bundle",
    "reproduce",
    "run_of",
    "study_id",
    "untold",
    "verify",
    "with_reasons",
]
