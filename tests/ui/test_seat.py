"""Where a session is: a jump holds against an address that was on its way, and not for ever."""

from facet.ui.seat import SETTLE_S, Seat, go


def test_a_jump_wins_over_the_old_address_until_it_was_drawn_and_a_moment_has_passed() -> None:
    seat = Seat()
    assert seat.where("one", lambda: 0.0) == "one"
    go(seat, "two")
    assert seat.where("one", lambda: 0.0) == "two"  # interrupted before its end
    assert seat.where("one", lambda: 50.0) == "two"
    seat.arrived(lambda: 50.0)
    assert seat.where("one", lambda: 50.1) == "two"  # a press that was on its way
    seat.arrived(lambda: 50.2)
    assert seat.where("two", lambda: 51.0) == "two"
    seat.arrived(lambda: 51.0)
    assert seat.where("one", lambda: 51.1 + SETTLE_S) == "one"  # the back button


def test_without_a_jump_the_address_decides() -> None:
    seat = Seat()
    seat.jump("")
    seat.arrived(lambda: 0.0)
    assert seat.where("any", lambda: 0.1) == "any"
