import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { StorageRefused } from "../blobs/blobs.ts"
import Type, { Check, type Static } from "../schema.ts"
import type { BackupPlace } from "./place.ts"

/** Who works in a place: many may add and read at once, and who removes is alone. A process that ends without a word is forgotten after a while. */

const Holder = Type.Object({ alone: Type.Boolean(), who: Type.String(), until: Type.Integer() })
type Holder = Static<typeof Holder>

const LIVES_MS = 10 * 60_000
const RENEW_MS = 2 * 60_000

/** Gives the function that lets go. Throws {@link StorageRefused}, which says who is there. */
export async function holdPlace(place: BackupPlace, { alone }: { readonly alone: boolean }): Promise<() => Promise<void>> {
  if (place.isOneFile) return async () => {}
  const name = `locks/${randomBytes(8).toString("hex")}`
  const put = () => {
    const holder: Holder = { alone, who: `process ${process.pid} on ${hostname()}`, until: Date.now() + LIVES_MS }
    return place.write(name, Buffer.from(JSON.stringify(holder)))
  }
  await put()
  const timer = setInterval(() => void put().catch(() => {}), RENEW_MS).unref()
  const release = async (): Promise<void> => {
    clearInterval(timer)
    await place.remove(name)
  }
  try {
    // Both of two that come at once see each other, since each has written before it looks.
    for await (const other of place.list("locks")) {
      if (other.name === name) continue
      const holder = await readHolder(place, other.name)
      if (holder === undefined) continue
      if (holder.until < Date.now()) await place.remove(other.name)
      else if (alone || holder.alone)
        throw new StorageRefused(
          `${holder.who} works with the backups in ${place.name}.`,
          "Wait until that has ended. Where its process was killed, it is forgotten after ten minutes.",
        )
    }
    return release
  } catch (error) {
    await release()
    throw error
  }
}

async function readHolder(place: BackupPlace, name: string): Promise<Holder | undefined> {
  const bytes = await place.read(name)
  try {
    const value: unknown = JSON.parse(bytes?.toString("utf8") ?? "")
    return Check(Holder, value) ? value : undefined
  } catch {
    return undefined
  }
}
