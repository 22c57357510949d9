"""Golden defects: good tasks, planted faults with what must be said of them, and the marks."""
