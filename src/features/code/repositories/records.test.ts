import { Compile } from "typebox/compile"
import { describe, expect, it } from "vitest"
import type { TSchema } from "../../../core/schema.ts"
import {
  AddCollaboratorOption,
  CreateForkOption,
  CreateRepoOption,
  EditRepoOption,
  GenerateRepoOption,
  TransferRepoOption,
} from "./records.ts"

describe.each([
  [
    "CreateRepoOption",
    CreateRepoOption,
    [{ name: "a" }, { name: "A-b_c.d", trust_model: "", object_format_name: "sha256", description: "é".repeat(2048) }],
  ],
  ["EditRepoOption", EditRepoOption, [{}, { has_issues: true, external_tracker: { external_tracker_url: "https://tracker.example.org" } }]],
  ["TransferRepoOption", TransferRepoOption, [{}, { new_owner: "bob", team_ids: [1] }]],
  ["GenerateRepoOption", GenerateRepoOption, [{ owner: "bob", name: "copy", git_content: true }]],
  ["CreateForkOption", CreateForkOption, [{}]],
  ["AddCollaboratorOption", AddCollaboratorOption, [{}, { permission: "admin" }]],
] satisfies readonly (readonly [string, TSchema, readonly unknown[]])[])("%s takes", (_, schema, bodies) => {
  const check = Compile(schema)
  for (const body of bodies) it(JSON.stringify(body).slice(0, 80), () => expect([...check.Errors(body)]).toEqual([]))
})

describe.each([
  ["CreateRepoOption", CreateRepoOption, "/name", [{ name: "" }, { name: "a b" }, { name: "a/b" }, { name: 5 }, { name: "x".repeat(101) }]],
  ["CreateRepoOption", CreateRepoOption, "/description", [{ name: "a", description: "x".repeat(2049) }]],
  ["CreateRepoOption", CreateRepoOption, "/object_format_name", [{ name: "a", object_format_name: "md5" }]],
  ["CreateRepoOption", CreateRepoOption, "/private", [{ name: "a", private: "yes" }]],
  ["CreateRepoOption", CreateRepoOption, "", [{ description: "nameless" }, [{ name: "x" }]]],
  ["EditRepoOption", EditRepoOption, "/projects_mode", [{ projects_mode: "some" }]],
  ["EditRepoOption", EditRepoOption, "/default_update_style", [{ default_update_style: "teleport" }]],
  ["EditRepoOption", EditRepoOption, "/default_merge_style", [{ default_merge_style: "octopus" }]],
  [
    "EditRepoOption",
    EditRepoOption,
    "/external_tracker/external_tracker_style",
    [{ external_tracker: { external_tracker_style: "roman" } }],
  ],
  ["GenerateRepoOption", GenerateRepoOption, "", [{ name: "copy" }]],
  ["AddCollaboratorOption", AddCollaboratorOption, "/permission", [{ permission: "owner" }]],
] satisfies readonly (readonly [string, TSchema, string, readonly unknown[]])[])("%s refuses", (_, schema, place, bodies) => {
  const check = Compile(schema)
  for (const body of bodies)
    it(`at "${place}" ${JSON.stringify(body).slice(0, 80)}`, () =>
      expect([...check.Errors(body)].map(({ instancePath }) => instancePath)).toContain(place))
})
