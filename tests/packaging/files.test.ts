import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"

/** What no one runs in the tests is read at least: no image is built here, and no unit is started. */

const home = join(import.meta.dirname, "../..")
const read = (path: string): string => readFileSync(join(home, path), "utf8")

describe("packaging/Containerfile", () => {
  // A step that goes on over several lines is one.
  const steps = read("packaging/Containerfile")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, instruction = "", rest = ""] = /^(\w+) +(.*)$/.exec(line) ?? []
      return { line, instruction, rest }
    })

  test("has known instructions only, and begins with an image", () => {
    const known = ["FROM", "RUN", "COPY", "WORKDIR", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "CMD"]
    expect(steps.filter(({ instruction }) => !known.includes(instruction))).toEqual([])
    expect(steps[0]?.instruction).toBe("FROM")
  })

  test("copies what is there", () => {
    const copied = steps.flatMap(({ instruction, rest }) =>
      instruction === "COPY" && !rest.startsWith("--from=") ? rest.split(/ +/).slice(0, -1) : [],
    )
    expect(copied).toContain("src")
    expect(copied.filter((path) => !existsSync(join(home, path)))).toEqual([])
  })

  test("runs the server as a user of its own, with the port of its documents", () => {
    const last = steps.findLastIndex(({ instruction }) => instruction === "USER")
    expect(steps[last]?.rest).toBe("hearth")
    expect(steps.slice(last).some(({ instruction }) => instruction === "RUN")).toBe(false)
    expect(steps.at(-1)).toMatchObject({ instruction: "CMD", rest: '["bin/hearth", "serve"]' })
    expect(steps.find(({ instruction }) => instruction === "EXPOSE")?.rest).toBe("3000 2222")
  })
})

describe("packaging/hearth.service", () => {
  test("has sections of settings, and waits longer for an end than the server does", () => {
    const lines = read("packaging/hearth.service").split("\n")
    expect(lines.filter((line) => line !== "" && !/^(#.*|\[\w+\]|\w+=.+)$/.test(line))).toEqual([])
    expect(lines.filter((line) => line.startsWith("["))).toEqual(["[Unit]", "[Service]", "[Install]"])
    expect(lines).toContain("ExecStart=/opt/hearth/bin/hearth serve")
    expect(lines).toContain("ExecReload=/bin/kill -HUP $MAINPID")
    expect(Number(lines.find((line) => line.startsWith("TimeoutStopSec="))?.split("=")[1])).toBeGreaterThan(30)
  })
})
