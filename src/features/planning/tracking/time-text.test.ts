import { expect, test } from "vitest"
import { timeText } from "./time-text.ts"

test.each([
  [0, ""],
  [1, "1 second"],
  [42, "42 seconds"],
  [60, "1 minute"],
  [119, "1 minute"],
  [3600, "1 hour"],
  [3661, "1 hour 1 minute"],
  [5400, "1 hour 30 minutes"],
  [93_900, "26 hours 5 minutes"],
])("%d seconds are %j", (seconds, text) => expect(timeText(seconds)).toBe(text))
