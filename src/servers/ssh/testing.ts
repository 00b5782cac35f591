import { spawn } from "node:child_process"
import type { FreshKind } from "../../../tests/support/database.ts"
import { freePort } from "../../../tests/support/ports.ts"
import type { Repository } from "../../access/permission.ts"
import type { ConfigOverrides } from "../../core/config.ts"
import { addDeployKey } from "../../features/code/deploy-keys/rules.ts"
import { addPublicKey, readKeyText } from "../../features/people/keys/public-keys.ts"
import { type KeyFile, type KeyFolder, openKeyFolder } from "../../features/people/keys/ssh/testing.ts"
import { type World as HttpWorld, openWorld as openHttpWorld, type Person, person } from "../git-http/testing.ts"

/** Shared by tests of git over SSH: a complete server, people and repositories with keys, and the machine's own OpenSSH. */

export interface World extends HttpWorld {
  readonly keys: KeyFolder
  readonly port: number
}

export async function openWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<World> {
  const port = await freePort()
  const [http, keys] = await Promise.all([openHttpWorld(kind, { ...config, ssh: { port, ...config.ssh } }), openKeyFolder()])
  const close = async () => {
    await http.close()
    await keys.close()
  }
  return { ...http, keys, port, close }
}

export interface KeyedPerson extends Person {
  readonly key: KeyFile
}

/** A person with a key. */
export async function keyed(world: World, name: string): Promise<KeyedPerson> {
  const [made, key] = [await person(world, name), await world.keys.make("ed25519")]
  await give(world, made, key)
  return { ...made, key }
}

/** Gives a person one more key. */
export async function give({ services }: World, { user }: Person, key: KeyFile, readOnly = false): Promise<void> {
  const { database, now } = services
  await database.write((tx) => addPublicKey(tx, user, { title: key.line, text: readKeyText(key.line), readOnly, now: now(), actor: user }))
}

/** Adds a deploy key to a repository. */
export async function deploy({ services }: World, repository: Repository, key: KeyFile, readOnly: boolean): Promise<void> {
  const { database, now } = services
  await database.write((tx) =>
    addDeployKey(tx, repository, {
      title: `${key.fingerprint} ${readOnly}`,
      text: readKeyText(key.line),
      readOnly,
      actor: { id: repository.owner_id },
      now: now(),
    }),
  )
}

/** Makes a client ignore the settings of the machine that it runs on. */
const options = [
  "-F/dev/null",
  "-oIdentitiesOnly=yes",
  "-oIdentityAgent=none",
  "-oStrictHostKeyChecking=no",
  "-oUserKnownHostsFile=/dev/null",
  "-oLogLevel=ERROR",
  "-oBatchMode=yes",
]

/** Options of git that make it use a key: `client(folder, [...withKey(key), "clone", …])`. */
export const withKey = ({ file }: KeyFile): readonly string[] => ["-c", `core.sshCommand=ssh ${options.join(" ")} -i ${file}`]

/** A repository's address. */
export const sshAddress = ({ port }: World, path: string): string => `ssh://git@127.0.0.1:${port}/${path}`

export interface SshRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs OpenSSH with a key: `ssh(world, key, "git-upload-pack 'a/b'")`; options before the host are `more`. */
export async function ssh(world: World, { file }: KeyFile, command: string | undefined, ...more: readonly string[]): Promise<SshRun> {
  const host = ["-p", String(world.port), "git@127.0.0.1", ...(command === undefined ? [] : [command])]
  const child = spawn("ssh", [...options, "-i", file, ...more, ...host], { stdio: ["ignore", "pipe", "pipe"] })
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  const code = await new Promise<number | null>((resolve, reject) => child.once("close", resolve).once("error", reject))
  return { code, out, err }
}
