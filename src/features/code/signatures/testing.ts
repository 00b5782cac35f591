import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

/** What git itself says of signatures, with GnuPG and ssh-keygen, over clones. */

const execute = promisify(execFile)

export interface Verifier {
  /** Makes git believe the signatures of these public keys: lines of OpenSSH, or armoured certificates. */
  readonly trust: (kind: "ssh" | "openpgp", keys: string) => Promise<void>
  /** The commits of all branches, the newest first, with git's verdict: "G" good, "U" good by an unknown key, "N" not signed, "B" bad. */
  readonly commitsOf: (
    repository: string,
    authorization: string,
  ) => Promise<readonly { readonly id: string; readonly state: string; readonly subject: string }[]>
  readonly close: () => Promise<void>
}

export async function gitVerifier(url: string): Promise<Verifier> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-verify-"))
  const allowed = join(folder, "allowed_signers")
  const env = { PATH: process.env.PATH ?? "", HOME: folder, GNUPGHOME: folder, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" }
  let count = 0
  return {
    async trust(kind, keys) {
      if (kind === "ssh") {
        const lines = keys.trim().split("\n")
        await writeFile(allowed, lines.map((line) => `* namespaces="git" ${line}\n`).join(""))
        return
      }
      const file = join(folder, "keys.asc")
      await writeFile(file, keys)
      await execute("gpg", ["--batch", "--quiet", "--import", file], { env })
    },
    async commitsOf(repository, authorization) {
      const clone = join(folder, `clone${++count}`)
      const header = ["-c", `http.extraHeader=Authorization: ${authorization}`]
      await execute("git", [...header, "clone", "-q", "--mirror", `${url}/${repository}.git`, clone], { env })
      const config = ["-c", `gpg.ssh.allowedSignersFile=${allowed}`]
      const { stdout } = await execute("git", [...config, "log", "--branches", "--format=%H %G? %s"], { cwd: clone, env })
      const lines = stdout.trim().split("\n")
      // An imported key that no one has certified gives "U": good, by a key of unknown owner.
      return lines.map((line) => {
        const [, id = "", state = "", subject = ""] = /^(\w+) (\w) (.*)$/.exec(line) ?? []
        return { id, state: state === "U" ? "G" : state, subject }
      })
    },
    close: async () => {
      await execute("gpgconf", ["--kill", "all"], { env }).catch(() => undefined)
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
