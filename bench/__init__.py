"""`make bench`: our validation against Harbor's on the same tasks, as ratios. No verdict on time.

Ways alternate within one run, so a machine that others use as well is equally slow to all of them.
Every figure is a median over rounds; nothing fails because something was slow.
"""
