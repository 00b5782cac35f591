import { expect, test } from "vitest"
import { differencesOf } from "./compare.ts"

test.each<[unknown, unknown, readonly string[]]>([
  [{ id: 1, size: 5 }, { id: 1, size: 9 }, []],
  [{ at: "2026-01-01T00:00:00Z" }, { at: "2026-01-01T01:00:00+01:00" }, []],
  [{ a: null, b: [] }, {}, []],
  [[{ id: 1 }, { id: 2 }], [{ id: 2 }, { id: 1 }], []],
  [[{ filename: "a" }, { filename: "b" }], [{ filename: "b" }, { filename: "a" }], []],
  [[{ x: 1 }, { x: 1 }], [{ x: 1 }, { x: 2 }], ["[1].x: 1, and now 2"]],
  [[1], [1, 2], ["the list: 1 of them, and now 2"]],
  [[{ commit: { tree: { sha: "a" } }, message: "m" }], [{ commit: { tree: { sha: "b" } }, message: "m\n" }], []],
  [{ title: "a" }, { title: "b" }, ['title: "a", and now "b"']],
  [[{ id: 1, x: [1, 2] }], [{ id: 1, x: [1] }], ["[0].x: 2 of them, and now 1"]],
  [{ user: { login: "a" } }, {}, ['user: {"login":"a"}, and now undefined']],
])("%j and %j", (was, is, found) => expect(differencesOf(was, is)).toEqual(found))
