dsh { disable_rules = ["no-agent", "unused-declaration"] }

tool "list" {
  description = "x"
  command     = ["x"]
  input       = { type = "array" } # ERROR: Invalid schema: The argument "input" is no JSON Schema that arguments can be held against: its type is not "object", and the arguments of a tool are one.
}

tool "misspelt" {
  description = "x"
  command     = ["x"]
  input       = { type = "object", propertys = {} } # ERROR: Invalid schema: The argument "input" is no JSON Schema that arguments can be held against: propertys is no keyword that is supported; did you mean properties.
}

tool "deep" {
  description = "x"
  command     = ["x"]
  input       = { type = "object", properties = { a = { items = { "$ref" = "#" } } } } # ERROR: Invalid schema: The argument "input" is no JSON Schema that arguments can be held against: properties.a.items.$ref is not supported: write the schema out, and share a part of it by a local.
}

tool "pattern" {
  description = "x"
  command     = ["x"]
  input       = { type = "object", properties = { a = { pattern = "(" } } } # ERROR: Invalid schema
}

tool "no_schema" {
  description = "x"
  command     = ["x"]
  input       = { type = "object", properties = { a = "string" } } # ERROR: Invalid schema: The argument "input" is no JSON Schema that arguments can be held against: properties.a is no schema: write an object.
}

tool "fine" {
  description = "x"
  command     = ["x"]
  input       = { type = "object", properties = { a = { type = ["string", "null"], enum = ["b", null] } }, additionalProperties = false, anyOf = [{ required = ["a"] }, true] }
}
