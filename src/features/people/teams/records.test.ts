import { Compile } from "typebox/compile"
import { describe, expect, it } from "vitest"
import type { TSchema } from "../../../core/schema.ts"
import { CreateTeamOption, EditTeamOption } from "./records.ts"

describe.each([
  [
    "CreateTeamOption",
    CreateTeamOption,
    [
      { name: "Readers", visibility: "" },
      { name: "a.b-c_d", units_map: { "repo.code": "read", "repo.wiki": "none" }, permission: "" },
    ],
  ],
  ["EditTeamOption", EditTeamOption, [{}, { name: "", visibility: "" }, { units_map: { "repo.pulls": "write" } }, { permission: "owner" }]],
] satisfies readonly (readonly [string, TSchema, readonly unknown[]])[])("%s takes", (_, schema, bodies) => {
  const check = Compile(schema)
  for (const body of bodies) it(JSON.stringify(body).slice(0, 80), () => expect([...check.Errors(body)]).toEqual([]))
})

describe.each([
  ["CreateTeamOption", CreateTeamOption, "/name", [{ name: "" }, { name: "two words" }, { name: "a/b" }, { name: "x".repeat(256) }]],
  ["CreateTeamOption", CreateTeamOption, "", [{ units_map: { "repo.code": "read" } }]],
  ["CreateTeamOption", CreateTeamOption, "/units_map/repo.cde", [{ name: "a", units_map: { "repo.cde": "read" } }]],
  ["CreateTeamOption", CreateTeamOption, "/units_map/repo.code", [{ name: "a", units_map: { "repo.code": "rule" } }]],
  ["CreateTeamOption", CreateTeamOption, "/units/0", [{ name: "a", units: ["repo.x"] }]],
  ["EditTeamOption", EditTeamOption, "/visibility", [{ visibility: "open" }]],
] satisfies readonly (readonly [string, TSchema, string, readonly unknown[]])[])("%s refuses", (_, schema, place, bodies) => {
  const check = Compile(schema)
  for (const body of bodies)
    it(`at "${place}" ${JSON.stringify(body).slice(0, 80)}`, () =>
      expect([...check.Errors(body)].map(({ instancePath }) => instancePath)).toContain(place))
})
