"""Links that name a batch, where the platform and not the site decides who gets which.

The name is signed: a link in which it was changed or made up is rejected.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Collection
from typing import Final

from rejudge.collect.assignment import Occupancy, PastAssignment, barred_batches
from rejudge.design import Plan

BATCH_PARAMETER: Final = "BATCH"  # in the query of a link: NAME.SIGNATURE
_SIGNATURE = 22  # characters: 132 bits


def sign_batch(secret: bytes, study: str, batch: str) -> str:
    """What a link says to lead to this batch. `secret`: what the site signs with."""
    key = hmac.digest(secret, f"batch link {study}".encode(), "sha256")
    digest = hmac.digest(key, batch.encode("utf-8", "surrogatepass"), "sha256")
    return f"{batch}.{urlsafe_b64encode(digest).decode()[:_SIGNATURE]}"


def read_batch(secret: bytes, study: str, text: str) -> str | None:
    """The batch that a link names; None if it was not signed for this study."""
    batch = text.rpartition(".")[0]
    given = text.encode("utf-8", "surrogatepass")
    ours = sign_batch(secret, study, batch).encode("utf-8", "surrogatepass")
    return batch if hmac.compare_digest(given, ours) else None


def named_batch(
    plan: Plan, named: str, occupancy: Occupancy | None, past: Collection[PastAssignment]
) -> str | None:
    """The batch for somebody whose link names one: calibration first, then exactly that batch.

    None where it is full, where they have had it or one that shares an input with it, or where they
    have had as many as one person may do. `occupancy`: of the named batch; None if the plan has no
    such batch.
    """
    if occupancy is None or named not in plan.batch or plan.batch[named].is_calibration:
        return None
    own = [each for each in past if not plan.batch[each.batch].is_calibration]
    has_share = sum(each.status != "expired" for each in own) >= plan.batches_per_participant
    if has_share or not occupancy.is_free or named in barred_batches(plan, past):
        return None
    had = {each.batch for each in past}
    first = (batch.id for batch in plan.batches if batch.is_calibration and batch.id not in had)
    return next(first, named)
