default {
}

default { # ERROR: Repeated block: There can be only one default block here.
}

reply {
  usage {
  }
  usage { # ERROR: Repeated block: There can be only one usage block here.
  }
}
