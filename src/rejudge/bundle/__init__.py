"""Bundles: a study as one archive that another lab can check and run again."""

from rejudge.arguments import explain_arguments
from rejudge.bundle.anonymity import LEAST_GROUP, PARTICIPANTS, ParticipantTable, refuse_unknown
from rejudge.bundle.archive import LIMITS, Limits
from rejudge.bundle.build import FinishedStudy, PackedBundle, bundle
from rejudge.bundle.citation import zenodo_metadata
from rejudge.bundle.croissant import CROISSANT, unstated_keys
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
from rejudge.bundle.narrowing import HandEdit
from rejudge.bundle.privacy import KnownPrivacy, ParticipantArchives, find_participant
from rejudge.bundle.reader import (
    Bundle,
    BundleDifference,
    load_bundle,
    open_bundle,
    original_of,
    original_run_of,
    read_bundle,
    run_of,
)
from rejudge.bundle.reproduction import (
    Reproduction,
    RequestedChange,
    RequestedCriteria,
    needs_reason,
    reproduce,
    study_id,
    unstated_changes,
    with_reasons,
)
from rejudge.bundle.verification import Verification, verify

__all__ = [
    "CROISSANT",
    "LEAST_GROUP",
    "LICENCES",
    "LIMITS",
    "ORIGINAL",
    "PARTICIPANTS",
    "REPRODUCES",
    "REPRODUCES_CODEC",
    "Bundle",
    "BundleDifference",
    "FinishedStudy",
    "HandEdit",
    "Impact",
    "Interface",
    "KnownPrivacy",
    "Licence",
    "Limits",
    "Manifest",
    "PackedBundle",
    "ParticipantArchives",
    "ParticipantTable",
    "Reproduces",
    "Reproduction",
    "RequestedChange",
    "RequestedCriteria",
    "StatedChange",
    "Verification",
    "bundle",
    "find_participant",
    "licence_of",
    "load_bundle",
    "needs_reason",
    "open_bundle",
    "origin_of",
    "original_of",
    "original_run_of",
    "read_bundle",
    "refuse_unknown",
    "reproduce",
    "run_of",
    "study_id",
    "unstated_changes",
    "unstated_keys",
    "verify",
    "with_reasons",
    "zenodo_metadata",
]

explain_arguments(__name__)
