import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { generateKey } from "openpgp"
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"

/** The real `gpg`. It must be installed; run with HEARTH_TEST_PROGRAMS=1. */
withHearth("gpg", { people: ["ann"] }, ({ test, forge, call, ann }) => {
  /** The ids of keys and subkeys that an empty keyring has after importing this text, primary key first. */
  async function imported(armored: string): Promise<readonly string[]> {
    const home = await mkdtemp(join(tmpdir(), "gpg-"))
    const gpg = (...args: readonly string[]) => promisify(execFile)("gpg", ["--homedir", home, "--batch", "--no-autostart", ...args])
    try {
      const text = join(home, "key.asc")
      await writeFile(text, armored)
      await gpg("--import", text)
      const { stdout } = await gpg("--list-keys", "--with-colons")
      return [...stdout.matchAll(/^(?:pub|sub):(?:[^:]*:){3}([0-9A-F]{16}):/gm)].map(([, id = ""]) => id)
    } finally {
      await rm(home, { recursive: true })
    }
  }

  test("takes the keys that are shown, and each of their subkeys alone", async () => {
    const { publicKey } = await generateKey({
      type: "ecc",
      curve: "ed25519Legacy",
      userIDs: [{ name: "Ann", email: "ann@example.com" }, { name: "Ann elsewhere" }],
      subkeys: [{ sign: true }, { sign: false }],
    })
    const { status, body } = await call(ann, "POST /user/gpg_keys", { armored_public_key: publicKey })
    expect(status).toBe(201)
    const subkeys: readonly { readonly key_id: string; readonly public_key: string }[] = body.subkeys
    const ids = [body.key_id, ...subkeys.map(({ key_id }) => key_id)]
    expect(await imported(body.public_key)).toEqual(ids)
    expect(await imported(await (await fetch(`${forge.hearth.url}/ann.gpg`)).text())).toEqual(ids)
    for (const { key_id, public_key } of subkeys) expect(await imported(public_key)).toEqual([body.key_id, key_id])
  })
})
