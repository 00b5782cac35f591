import { createPrivateKey, createPublicKey } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ifMissing } from "../../../core/files.ts"
import { makePrivateFile } from "../../../core/private-file.ts"
import type { Services } from "../../../core/services.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { keepFormerKey } from "../../people/oauth2/former-tokens.ts"
import type { World } from "./mapping/world.ts"
import type { KindResult, Remark } from "./rows.ts"

/** Keys of the server itself: the one that SSH clients know it by, and the one that its OAuth2 tokens are signed with. */

/** The host keys of the built-in SSH server, that which clients prefer first. */
const HOST_KEYS = ["gitea.ed25519", "gitea.ecdsa", "gitea.rsa", "gogs.rsa"]

/** Where this server keeps its own. */
const hostKeyFile = (dataDir: string): string => join(dataDir, "ssh_host_ed25519_key")

export async function takeSiteKeys(services: Services, world: World, dryRun: boolean): Promise<KindResult> {
  const remarks: Remark[] = []
  const outcomes = [await takeHostKey(services, world, dryRun, remarks), await takeTokenKey(services, world, dryRun, remarks)]
  const of = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length
  const leftOut = of("missing")
  return { found: outcomes.length, taken: outcomes.length - leftOut, changed: of("brought"), removed: 0, leftOut, remarks }
}

type Outcome = "brought" | "same" | "missing"

async function takeHostKey({ config }: Services, { layout }: World, dryRun: boolean, remarks: Remark[]): Promise<Outcome> {
  for (const name of HOST_KEYS) {
    const key = await readFile(join(layout.sshKeys, name), "utf8").catch(ifMissing(undefined))
    if (key === undefined) continue
    const file = hostKeyFile(config.dataDir)
    const there = await readFile(file, "utf8").catch(ifMissing(undefined))
    if (there === key) return "same"
    if (there !== undefined) {
      remarks.push({ key: name, content: `${file} is there already: SSH clients that know the old server will warn` })
      return "missing"
    }
    if (!dryRun) await makePrivateFile(file, key)
    return "brought"
  }
  remarks.push({
    key: "ssh",
    content: `${layout.sshKeys} has no key: if sshd served the old server, go on with it, or copy its key to ${hostKeyFile(config.dataDir)}`,
  })
  return "missing"
}

async function takeTokenKey(services: Services, { layout }: World, dryRun: boolean, remarks: Remark[]): Promise<Outcome> {
  const { algorithm, keyFile, secret, invalidatesRefreshTokens } = layout.oauth2
  const once = { isOnce: invalidatesRefreshTokens }
  if (algorithm.startsWith("HS")) {
    if (secret === "") {
      remarks.push({ key: "oauth2", content: "JWT_SECRET is not set: applications have to ask for new tokens" })
      return "missing"
    }
    return dryRun ? "brought" : keepFormerKey(services, { ...once, algorithm, key: secret })
  }
  try {
    const pem = await readFile(keyFile, "utf8")
    const key = createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "pem" }).toString()
    return dryRun ? "brought" : await keepFormerKey(services, { ...once, algorithm, key })
  } catch (error) {
    const isKnown = hasCode(error, "ENOENT", "ENOTDIR", "EACCES") || (error instanceof Error && "code" in error)
    if (!isKnown) throw error
    remarks.push({ key: "oauth2", content: `${keyFile} can't be read: applications have to ask for new tokens` })
    return "missing"
  }
}
