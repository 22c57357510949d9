"""The whole: skills in, validated tasks out, with budgets and resume."""
