"""What the embedded author answers, one file per group of asks."""
