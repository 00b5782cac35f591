import { expect, test } from "vitest"
import { Mode } from "../../../access/modes.ts"
import { wantedUnits } from "./units.ts"

test("units_map goes before units", () => {
  const units = wantedUnits({ units_map: { "repo.code": "write", "repo.wiki": "none" }, units: ["repo.issues"], permission: "read" })
  expect(units).toEqual(
    new Map([
      ["repo.code", Mode.write],
      ["repo.wiki", Mode.none],
    ]),
  )
})

test("units all have the mode of permission, where that is read or write", () => {
  expect(wantedUnits({ units: ["repo.code"], permission: "write" })).toEqual(new Map([["repo.code", Mode.write]]))
  expect(wantedUnits({ units: ["repo.code"] })).toEqual(new Map([["repo.code", Mode.none]]))
})

test("units that lead elsewhere can only be read", () => {
  const units = wantedUnits({ units_map: { "repo.ext_wiki": "admin", "repo.ext_issues": "none" } })
  expect(units).toEqual(
    new Map([
      ["repo.ext_wiki", Mode.read],
      ["repo.ext_issues", Mode.none],
    ]),
  )
})

test("nothing named is nothing wanted", () => {
  expect(wantedUnits({ permission: "write" })).toBeUndefined()
  expect(wantedUnits({ units: [], units_map: {} })).toBeUndefined()
})

test("unknown units and owning a unit are refused by name", () => {
  expect(() => wantedUnits({ units_map: { "repo.cellar": "read" } })).toThrow("[units_map]: repo.cellar is no unit")
  expect(() => wantedUnits({ units: ["cellar"] })).toThrow("[units]: cellar is no unit")
  expect(() => wantedUnits({ units_map: { "repo.code": "owner" } })).toThrow("[units_map.repo.code]")
})
