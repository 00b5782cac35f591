import { describe, expect, it } from "vitest"
import { handedOver } from "./content.ts"

const SECRETS = { PASSWORD: "a password", OTHER: "another" }
const calling = (secrets?: unknown) => ({ call: JSON.stringify({ file: "a.yml", inputs: {}, secrets }) })

describe("the secrets of a called workflow", () => {
  it.for([
    ["all of them, where it inherits them", "inherit", SECRETS],
    ["those that it is given, under its own names", { mine: "password" }, { MINE: "a password" }],
    ["none of those that are not there", { mine: "missing" }, {}],
    ["none, where nothing is said", undefined, {}],
  ] as const)("are %s", ([, secrets, expected]) => {
    expect(handedOver(SECRETS, calling(secrets))).toEqual(expected)
  })

  it("are no more than its caller has itself", () => {
    expect([calling({ mine: "password" }), calling("inherit")].reduce(handedOver, SECRETS)).toEqual({ MINE: "a password" })
    expect([calling({ mine: "password" }), calling({ theirs: "other" })].reduce(handedOver, SECRETS)).toEqual({})
    expect([calling(), calling("inherit")].reduce(handedOver, SECRETS)).toEqual({})
  })
})
