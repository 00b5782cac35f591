/**
 * Clients written in Python: ogr, which packit uses, and python-semantic-release. `.ci/run` installs them from `tests/clients/python/requirements.txt`; without them these tests are left out.
 */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ok } from "../../src/git/testing.ts"
import { freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"

const run = promisify(execFile)
/** The interpreter that has the packages. */
const python = process.env["HEARTH_TEST_PYTHON"] ?? ""

describe.skipIf(python === "")("clients written in Python", () => {
  let forge: TestHearth
  let token = ""
  let folder = ""
  beforeAll(async () => {
    forge = await freshHearth("sqlite", { api: { notFoundBody: "specified" } })
    const [ann] = [await forge.person("ann"), await forge.person("ben")]
    for (const name of ["tool", "vault", "lent"])
      await forge.call(ann, "POST /user/repos", { name, auto_init: true, private: name === "vault" })
    await forge.call(ann, "POST /orgs", { username: "guild" })
    await forge.call(ann, "POST /repos/ann/tool/contents/topic.md", { content: "Cg==", new_branch: "topic" })
    token = (await forge.call(ann, "POST /users/ann/tokens", { name: "python", scopes: ["all"] })).body.sha1
    folder = await mkdtemp(join(tmpdir(), "hearth-python-"))
  })
  afterAll(async () => {
    await forge.close()
    await rm(folder, { recursive: true, force: true })
  })

  test("ogr reads and changes all that it knows", async () => {
    const { stdout } = await run(python, [join(import.meta.dirname, "python/use_ogr.py"), forge.hearth.url, token])
    const lines = stdout.trim().split("\n")
    expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([])
    expect(lines).toHaveLength(32)
  })

  test("python-semantic-release makes a version: a commit, a tag, a release with its files", async () => {
    const { host } = new URL(forge.hearth.url)
    await ok(folder, "clone", "-q", `http://ann:${PASSWORD}@${host}/ann/lent.git`, ".")
    await ok(folder, "config", "user.name", "Ann")
    await ok(folder, "config", "user.email", "ann@example.com")
    await writeFile(
      join(folder, "pyproject.toml"),
      `[project]\nname = "lent"\nversion = "0.0.0"\n[tool.semantic_release]\nallow_zero_version = false\nbuild_command = "mkdir -p dist && echo built > dist/lent.whl"\n` +
        `version_toml = ["pyproject.toml:project.version"]\n[tool.semantic_release.remote]\ntype = "gitea"\ndomain = "${forge.hearth.url}"\ninsecure = true\nignore_token_for_push = true\ntoken = { env = "GITEA_TOKEN" }\n`,
    )
    await ok(folder, "add", "-A")
    await ok(folder, "commit", "-q", "-m", "feat: begin")
    const env = { PATH: process.env["PATH"], HOME: folder, GITEA_TOKEN: token }
    const release = (...args: readonly string[]) => run(join(dirname(python), "semantic-release"), [...args], { cwd: folder, env })
    await release("version")
    await release("publish")
    const { body: released } = await forge.call(undefined, "GET /repos/ann/lent/releases/tags/v1.0.0")
    expect(released).toMatchObject({ tag_name: "v1.0.0", draft: false, assets: [{ name: "lent.whl", size: 6 }] })
    expect(released.body).toContain("Initial Release")
    const file = await fetch(released.assets[0].browser_download_url, { redirect: "error" })
    expect(await file.text()).toBe("built\n")
    const { body: newest } = await forge.call(undefined, "GET /repos/ann/lent/commits?limit=1")
    expect(newest[0].commit.message).toMatch(/^1\.0\.0/)
  })
})
