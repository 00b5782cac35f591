import { randomBytes } from "node:crypto"
import { expect, vi } from "vitest"
import { after, linesOf, onPush, withRunner } from "./support/fixture.ts"

withRunner("logs", { machines: [{ name: "one", capacity: 4 }] }, ({ site, check, machine }) => {
  check("12. a log of 100 000 lines is complete and in order", async () => {
    const repository = await site.repository("long", onPush("build:\n  runs-on: host\n  steps: [{run: 'seq -f \"line %.0f\" 100000'}]\n"))
    const { run, log } = await site.ended(repository)
    expect(run.conclusion).toBe("success")
    const numbers = after(await log(), "line ").map(Number)
    expect(numbers).toHaveLength(100_000)
    expect(numbers.findIndex((number, index) => number !== index + 1)).toBe(-1)
  })

  check("12. lines of more than 64 KiB are cut between characters; ANSI, UTF-8 and tabs are kept", async () => {
    const repository = await site.repository(
      "odd",
      onPush(
        `build:
  runs-on: host
  steps:
    - run: |
        printf 'wide '; head -c 30000 /dev/zero | tr '\\\\0' 'x'; head -c 30000 /dev/zero | sed 's/\\\\x00/ü/g'; echo
        printf '\\\\033[31mred\\\\033[0m\\\\tand tab\\\\n'
        echo 'ümläut 漢字 🏁'
        printf 'bad \\\\xff\\\\xfe bytes\\\\n'
        echo
        echo '::group::in a group'
        echo '::endgroup::'
        echo '::error file=a.txt,line=3::wrong'
`.replaceAll("\\\\", "\\"),
      ),
    )
    const { run, log } = await site.ended(repository)
    expect(run.conclusion).toBe("success")
    const lines = await log()
    const [wide = ""] = after(lines, "wide ")
    expect(wide.startsWith("x".repeat(30_000))).toBe(true)
    expect(wide.slice(30_000)).toMatch(/^ü+$/)
    expect(Buffer.byteLength(`wide ${wide}`)).toBeLessThanOrEqual(65_536)
    expect(Buffer.byteLength(`wide ${wide}`)).toBeGreaterThan(65_000)
    expect(lines).toEqual(
      expect.arrayContaining([
        "\u001b[31mred\u001b[0m\tand tab",
        "ümläut 漢字 🏁",
        "",
        "::group::in a group",
        "::endgroup::",
        "::error file=a.txt,line=3::wrong",
      ]),
    )
    expect(after(lines, "bad ")).toHaveLength(1)
  })

  check("12. a step without output leaves a closed log", async () => {
    const repository = await site.repository("quiet", onPush("build:\n  runs-on: host\n  steps: [{run: 'true'}]\n"))
    const { run, jobs } = await site.ended(repository)
    expect(run.conclusion).toBe("success")
    const task = site.hearth.services.database.read
      .selectFrom("action_tasks")
      .select("log_sealed")
      .where("job_id", "=", jobs[0]?.id ?? 0)
    expect(await task.executeTakeFirst()).toEqual({ log_sealed: 1 })
  })

  check("12. a log can be read while the job runs, and grows at its end only", async () => {
    const repository = await site.repository(
      "live",
      onPush("build:\n  runs-on: host\n  steps: [{run: 'echo one; $GATES/wait live; echo two'}]\n"),
    )
    await machine("one").reached("live")
    const run = await site.reaches(repository, ({ status }) => status === "in_progress")
    const [job] = await site.jobs(repository, run)
    const partial = await vi.waitFor(
      async () => {
        const text = await site.rawLog(repository, job ?? { id: 0 })
        expect(linesOf(text)).toContain("one")
        return text
      },
      { timeout: 60_000 },
    )
    expect(linesOf(partial)).not.toContain("two")
    await machine("one").open("live")
    await site.ended(repository)
    const whole = await site.rawLog(repository, job ?? { id: 0 })
    expect(whole.slice(0, partial.length)).toBe(partial)
    expect(linesOf(whole.slice(partial.length))).toContain("two")
  })

  check("8. secrets and variables of three levels; secrets, added masks and tokens are masked in the log", async () => {
    const secret = `s3cret-${randomBytes(6).toString("hex")}`
    await site.must(site.root, "POST /orgs", { username: "levels" })
    await site.must(site.root, "POST /orgs/levels/repos", { name: "app", auto_init: true, default_branch: "main" })
    const repository = "levels/app"
    for (const [place, of] of [
      ["/orgs/levels", "owner"],
      [`/repos/${repository}`, "repository"],
    ] as const) {
      for (const name of of === "owner" ? ["SHARED", "OWNERS"] : ["SHARED", "OWN"]) {
        await site.must(site.root, `PUT ${place}/actions/secrets/${name}`, { data: `${secret}-${of}` })
        await site.must(site.root, `POST ${place}/actions/variables/${name}`, { value: `of ${of}` })
      }
    }
    await site.must(site.root, `PUT /repos/${repository}/actions/secrets/LINES`, { data: "first line\nsecond line\n" })
    await site.must(site.root, `PUT /repos/${repository}/actions/secrets/SHORT`, { data: "e" })
    const admin = await site.call(site.root, "POST /admin/actions/variables/SITES", { value: "of site" })
    await site.commit(
      repository,
      onPush(`build:
  runs-on: host
  env: {SHARED: "\${{ secrets.SHARED }}", OWNERS: "\${{ secrets.OWNERS }}", OWN: "\${{ secrets.OWN }}", TOKEN: "\${{ secrets.GITHUB_TOKEN }}", LINES: "\${{ secrets.LINES }}", SAME: "\${{ github.token == secrets.GITEA_TOKEN }}"}
  steps:
    - run: |
        echo "vars=\${{ vars.SHARED }}, \${{ vars.OWNERS }}, \${{ vars.OWN }}, \${{ vars.SITES }}"
        for name in SHARED OWNERS OWN; do echo "$name=\${!name##*-}"; echo "shown=\${!name}"; done
        echo "token=$TOKEN same=$SAME length=\${#TOKEN}"
        echo "lines=first line and second line"
        echo "::add-mask::a-value-of-its-own"
        echo "added=a-value-of-its-own"
        echo "vowel=e"
`),
    )
    const { run, log } = await site.ended(repository)
    expect(run.conclusion).toBe("success")
    const lines = await log()
    expect(after(lines, "vars=")).toEqual([`of repository, of owner, of repository, ${admin.status < 300 ? "of site" : ""}`])
    expect(lines).toEqual(
      expect.arrayContaining([
        "SHARED=repository",
        "OWNERS=owner",
        "OWN=repository",
        "token=*** same=true length=40",
        "lines=*** and ***",
        "added=***",
      ]),
    )
    expect(after(lines, "shown=")).toEqual(["***", "***", "***"])
    expect(lines.join("\n")).not.toContain(secret)
  })
})
