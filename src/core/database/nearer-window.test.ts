import { expect, test } from "vitest"
import { nearerWindow } from "./nearer-window.ts"

test("a part of a list is the same counted from its end", () => {
  for (let total = 0; total <= 12; total++)
    for (let limit = 0; limit <= 5; limit++)
      for (let offset = 0; offset <= 14; offset++) {
        const list = Array.from({ length: total }, (_, index) => index)
        const { isReversed, ...part } = nearerWindow({ limit, offset }, total)
        if (!isReversed) {
          expect(part).toEqual({ limit, offset })
          expect(offset <= total / 2 || offset >= total).toBe(true)
        } else {
          const opposite = list.toReversed().slice(part.offset, part.offset + part.limit)
          expect(opposite.toReversed()).toEqual(list.slice(offset, offset + limit))
        }
      }
})
