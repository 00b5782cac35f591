import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { stories } from "./stories.ts"

const run = promisify(execFile)

stories((story) => {
  story("a token is made for git, and a key for the machine", async ({ ask, enter, made, own, site }) => {
    const at = await made("pump")
    const person = await enter("ann")
    await person.open("/user/settings/applications/new")
    await person.send(
      { Name: own("laptop"), "Repositories with their code, pull requests and releases": "write:repository" },
      "Create token",
    )
    const token = await person.page.locator("main code").first().innerText()
    const folder = await mkdtemp(join(tmpdir(), "hearth-story-"))
    try {
      const git = (...args: readonly string[]) =>
        run("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], { cwd: folder })
      await git("clone", "-q", `${site.root.replace("://", `://ann:${token}@`)}${at}.git`, ".")
      await git("commit", "-q", "--allow-empty", "-m", "Pumped by a token")
      await git("push", "-q", "origin", "main")
      await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", own("laptop"), "-f", join(folder, "key")])
      await person.open("/user/settings/keys/new")
      await person.send({ Title: own("laptop"), "Public key": await readFile(join(folder, "key.pub"), "utf8") }, "Add")
      await person.sees(own("laptop"))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    await person.open(`${at}/commits/branch/main`)
    await person.sees("Pumped by a token")
    // It reads and writes repositories, and does nothing else.
    await person.open("/user/settings/applications")
    await person.sees(own("laptop"))
    const answer = await fetch(`${site.root}/api/v1/user/keys`, { headers: { authorization: `token ${token}` } })
    expect(answer.status).toBe(403)
    expect(await ask("ann", "GET /user/keys")).toContainEqual(expect.objectContaining({ title: own("laptop") }))
  })
})
