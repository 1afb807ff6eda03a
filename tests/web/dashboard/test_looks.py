"""Planned looks on the dashboard: the leader is shown of a look, and only of a look."""

from __future__ import annotations

import pytest

from dashboard_site import DashboardSite, opened
from looked_study import looked_study
from rejudge.collect.looks import LookLog, look_state
from rejudge.store.analysis_input import make_due_look
from rejudge.web.dashboard.looks import look_panel

STUDY, PLAN = looked_study(4, 2)


@pytest.fixture
def running(tmp_path):
    site = opened(tmp_path, STUDY)
    site.log_in()
    yield site
    site.client.close()
    site.store.close()


def page(site: DashboardSite) -> str:
    site.clock.go(10)
    return site.client.get("/dashboard/").text


def test_before_a_look_nothing_is_compared_and_no_leader_shown(running, no_comparisons):
    running.crowd.finish_many(4)  # the stage is complete, and the look is due
    text = page(running)
    assert "Look 1 of 2 is due: 4 of 8 places are done." in text
    assert "Which system leads is not shown before the look." in text
    assert "O’Brien–Fleming boundary · decides: north and south on meaning" in text
    assert "ahead at this look" not in text
    assert no_comparisons == []


def test_after_a_look_its_leader_boundary_and_decision_are_shown(running):
    running.crowd.finish_many(4)
    look = make_due_look(running.store, who="ada", now=running.clock())
    assert look is not None
    text = page(running)
    assert "<th>Ahead</th>" in text
    assert "<td>1 of 2</td>" in text
    assert "boundary not crossed: go on" in text
    assert "Look 2 of 2 is due at 8 of 8 places; 4 are done." in text


def test_the_panel_of_a_study_that_is_over(running):
    running.crowd.finish_many(4)
    make_due_look(running.store, who="ada", now=running.clock())
    running.crowd.finish_many(4)
    make_due_look(running.store, who="ada", now=running.clock())
    text = page(running)
    assert "The study ended at look 2 of 2." in text
    assert "New visitors find no tasks." in text


def test_names_are_escaped_where_they_are_shown(running):
    state = look_state(STUDY, PLAN, {}, LookLog())
    assert state is not None
    assert STUDY.spec.stop is not None
    panel = look_panel(STUDY.spec.stop, state, LookLog(), {"north": "<b>N"})
    assert panel.decides == "<b>N and south on meaning"  # the template escapes it
    assert panel.marks == (50.0, 100.0)
    assert not panel.is_over
