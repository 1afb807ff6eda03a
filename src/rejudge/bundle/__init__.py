"""Bundles: a study as one archive that another lab can check and run again."""

from rejudge.bundle.archive import LIMITS, Limits
from rejudge.bundle.consistency import Difference
from rejudge.bundle.environment import Interface
from rejudge.bundle.holding import Holding, archives_with
from rejudge.bundle.licences import LICENCES, Licence, licence_of
from rejudge.bundle.making import Finished, Packed, bundle
from rejudge.bundle.manifest import Manifest
from rejudge.bundle.opening import Bundle, load_bundle, open_bundle, read_bundle
from rejudge.bundle.origin import (
    ORIGINAL,
    REPRODUCES,
    REPRODUCES_CODEC,
    Impact,
    Reproduces,
    StatedChange,
    origin_of,
)
from rejudge.bundle.privacy import Known
from rejudge.bundle.reproducing import (
    Reproduction,
    Wish,
    needs_reason,
    reproduce,
    study_id,
    untold,
    with_reasons,
)
from rejudge.bundle.runs import original_of, original_run_of, run_of
from rejudge.bundle.verifying import Verification, verify

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
