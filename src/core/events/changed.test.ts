import { expect, test } from "vitest"
import { changedColumns } from "./changed.ts"

const row = { id: 1, name: "Ada", lower_name: "ada", is_admin: 0, avatar: "", updated_at: 5, credentials_version: 1 }

test("columns that differ are named in their order", () =>
  expect(changedColumns(row, { ...row, avatar: "a1", is_admin: 1 })).toEqual(["is_admin", "avatar"]))

test("columns that only follow from others are not", () => {
  expect(changedColumns(row, { ...row, updated_at: 6, credentials_version: 2 })).toEqual([])
  expect(changedColumns(row, { ...row, name: "Eve", lower_name: "eve" })).toEqual(["name"])
})

test("nothing differs in a copy", () => expect(changedColumns(row, { ...row })).toEqual([]))
