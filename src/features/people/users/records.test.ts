import { Compile } from "typebox/compile"
import { describe, expect, it } from "vitest"
import type { TSchema } from "../../../core/schema.ts"
import { CreateEmailOption, CreateUserOption, EditUserOption, RenameUserOption, UserSettingsOptions } from "./records.ts"

const person = { username: "walter", email: "walter@example.com" }

describe.each([
  [
    "CreateUserOption",
    CreateUserOption,
    [person, { ...person, username: "w.a-l_t3r", visibility: "" }, { ...person, full_name: "é".repeat(100) }],
  ],
  [
    "EditUserOption",
    EditUserOption,
    [{ login_name: "walter" }, { login_name: "walter", source_id: 0, max_repo_creation: -1, website: "" }],
  ],
  [
    "UserSettingsOptions",
    UserSettingsOptions,
    [{}, { website: "HTTPS://walter.example.com/" }, { location: "", favourite_colour: "green" }],
  ],
  ["CreateEmailOption", CreateEmailOption, [{ emails: ["Home@Example.com", "a+b@example.org"] }]],
  ["RenameUserOption", RenameUserOption, [{ new_username: "x" }]],
] satisfies readonly (readonly [string, TSchema, readonly unknown[]])[])("%s takes", (_, schema, bodies) => {
  const check = Compile(schema)
  for (const body of bodies) it(JSON.stringify(body).slice(0, 80), () => expect([...check.Errors(body)]).toEqual([]))
})

describe.each([
  [
    "CreateUserOption",
    CreateUserOption,
    "/username",
    ["", "no blanks", "-a", "a-", "a..b", "a/b", "x".repeat(41)].map((username) => ({ ...person, username })),
  ],
  [
    "CreateUserOption",
    CreateUserOption,
    "/email",
    ["", "not-an-address", `${"x".repeat(250)}@example.com`].map((email) => ({ ...person, email })),
  ],
  ["CreateUserOption", CreateUserOption, "/visibility", [{ ...person, visibility: "secret" }]],
  ["EditUserOption", EditUserOption, "/location", [{ login_name: "walter", location: "l".repeat(51) }]],
  ["EditUserOption", EditUserOption, "", [{ full_name: "Walter W." }]],
  [
    "UserSettingsOptions",
    UserSettingsOptions,
    "/website",
    [{ website: "alice.example" }, { website: "javascript://alice.example" }, { website: "https://a b" }],
  ],
  ["UserSettingsOptions", UserSettingsOptions, "/full_name", [{ full_name: "f".repeat(101) }]],
  ["CreateEmailOption", CreateEmailOption, "/emails", [{ emails: [] }, { emails: "a@example.com" }]],
  ["CreateEmailOption", CreateEmailOption, "/emails/0", [{ emails: ["nonsense"] }]],
] satisfies readonly (readonly [string, TSchema, string, readonly unknown[]])[])("%s refuses", (_, schema, place, bodies) => {
  const check = Compile(schema)
  for (const body of bodies)
    it(`at "${place}" ${JSON.stringify(body).slice(0, 80)}`, () =>
      expect([...check.Errors(body)].map(({ instancePath }) => instancePath)).toContain(place))
})
