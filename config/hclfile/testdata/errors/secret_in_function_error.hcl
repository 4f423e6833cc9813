# ENV: TOKEN=canary
locals {
  a = tonumber(env.TOKEN) # ERROR: Invalid function argument: Invalid value for "v" parameter: invalid argument (sensitive).
  b = [for x in split("-", env.TOKEN) : tonumber(x)] # ERROR: Invalid function argument: The details are withheld, because the expression uses a sensitive value (env.TOKEN).
  c = { x = 1 }[env.TOKEN] # ERROR: Invalid index: The details are withheld
  d = { for k in [env.TOKEN, env.TOKEN] : nonsensitive(k) => 1 } # ERROR: Duplicate object key: The details are withheld
  e = try(tonumber(env.TOKEN)) # ERROR: Error in function call: Call to function "try" failed: invalid argument (sensitive).
}
