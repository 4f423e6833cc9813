reply {
  expect { # ERROR: Missing argument: One of the arguments contains or matches is required here.
  }
}

reply {
  expect { # ERROR: Missing argument: One of the arguments contains or matches is required here.
    contains = null
  }
}

reply {
  expect {
    contains = 1 # ERROR: Invalid value: The argument "contains" is a number, not a text or list of texts: write a text such as "a", or a list such as ["a", "b"].
    matches  = "a(" # ERROR: Invalid value: The argument "matches" holds "a(", which is no regular expression: missing closing ) at "a(".
  }
  error {
  }
}

reply {
  expect {
    contains = ["a", ""] # ERROR: Invalid value: The argument "contains" holds an empty text.
    matches = [
      "fine",
      "[z-a]", # ERROR: Invalid value: The argument "matches" holds "[z-a]", which is no regular expression: invalid character class range at "z-a".
    ]
  }
  expect { # ERROR: Repeated block: There can be only one expect block here.
    contains = "a"
  }
}

reply {
  expect {
    contain = "a" # ERROR: Unknown argument: There is no argument "contain" in expect. Did you mean "contains"?
  }
}

default {
  expect {
    contains = [] # ERROR: Invalid value: The argument "contains" is an empty list: write a text such as "a", or a list such as ["a", "b"].
  }
}
