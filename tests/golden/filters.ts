import type { Operation } from "../../src/core/operation.ts"

/** Values for filters whose type doesn't suggest one. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  sort: [
    "alpha",
    "created",
    "updated",
    "size",
    "git_size",
    "lfs_size",
    "stars",
    "forks",
    "id",
    "name",
    "oldest",
    "recentupdate",
    "mostcomment",
  ],
  order: ["desc"],
  mode: ["fork", "source", "mirror", "collaborative"],
  pattern: ["a*"],
  // An existing user.
  user: ["root"],
  owner: ["root"],
  created_by: ["root"],
  assigned_by: ["root"],
  mentioned_by: ["root"],
  poster: ["root"],
}

/** Filters that need another one, and values for it. */
const TOGETHER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  includeDesc: { q: "a" },
  include_desc: { q: "a" },
  topic: { q: "a" },
  order: { sort: "created" },
  exclusive: { uid: "1" },
}

const PAGING = new Set(["page", "limit"])

/** Each filter of a list with each of its values, one at a time. */
export function filtersOf({ query }: Operation): readonly Readonly<Record<string, string>>[] {
  return Object.entries(query.properties).flatMap(([name, schema]) => {
    if (PAGING.has(name)) return []
    return valuesOf(name, schema).map((value) => ({ ...TOGETHER[name], [name]: value }))
  })
}

function valuesOf(name: string, schema: object): readonly string[] {
  if ("enum" in schema && Array.isArray(schema.enum)) return schema.enum.map(String).filter((word) => word !== "")
  const known = VALUES[name]
  if (known) return known
  if ("type" in schema && schema.type === "boolean") return ["true", "false"]
  if ("type" in schema && schema.type === "integer") return ["1"]
  if ("format" in schema && schema.format === "date-time") return ["2020-02-20T20:20:20Z"]
  return ["a"]
}
