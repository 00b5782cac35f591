import { expect, test } from "vitest"
import { secondsIn, timeText } from "./time-text.ts"

test.each([
  [0, ""],
  [1, "1 second"],
  [42, "42 seconds"],
  [60, "1 minute"],
  [100, "1 minute 40 seconds"],
  [3599, "59 minutes 59 seconds"],
  [3600, "1 hour"],
  [3661, "1 hour 1 minute"],
  [5400, "1 hour 30 minutes"],
  [93_900, "26 hours 5 minutes"],
])("%d seconds are %j", (seconds, text) => expect(timeText(seconds)).toBe(text))

test.each([
  ["1h 30m", 5400],
  ["1.5h", 5400],
  ["1:30", 5400],
  [" 2D1h ", 176_400],
  ["45s", 45],
  ["90", undefined],
  ["", undefined],
  ["1h nonsense", undefined],
  ["-1h", undefined],
])("%j are %j seconds", (text, seconds) => expect(secondsIn(text)).toBe(seconds))
