import { describe, expect, test } from "vitest"
import { oneOf, record } from "../../core/record.ts"
import Type from "../../core/schema.ts"
import { readBody } from "./input.ts"

const Kettle = record("Kettle", {
  do: oneOf(["boil", "whistle"], { formerly: "Do" }),
  litres: Type.Optional(Type.Integer({ formerly: "Volume" })),
})
const read = (body: unknown) => readBody(Kettle, Buffer.from(JSON.stringify(body)), "application/json", { textBytes: 1000, listItems: 100 })

describe("members with older names", () => {
  test.each([
    [
      { Do: "boil", Volume: 2 },
      { do: "boil", litres: 2 },
    ],
    [{ Do: "boil", do: "whistle" }, { do: "whistle" }],
    [{ Do: "boil", do: null }, { do: "boil" }],
    [{ do: "boil", Volume: null }, { do: "boil" }],
  ])("%j is read as %j", (sent, known) => {
    expect(read(sent)).toMatchObject(known)
  })

  test.each([[{}], [{ Do: "sing" }], [{ do: "sing", Do: "boil" }], [{ Do: "boil", Volume: "much" }]])("%j is refused", (sent) => {
    expect(() => read(sent)).toThrow(/^\[(do|litres)\]/)
  })
})
