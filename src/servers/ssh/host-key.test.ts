import ssh2 from "ssh2"
import { expect, test } from "vitest"
import { generateHostKey } from "./host-key.ts"

test("every host key that is made can be read again", () => {
  // Of these, a dozen came out damaged: such a server never started.
  const damaged = Array.from({ length: 3000 }, generateHostKey).filter((key) => ssh2.utils.parseKey(key) instanceof Error)
  expect(damaged).toEqual([])
})
