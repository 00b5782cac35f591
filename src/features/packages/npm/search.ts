import { visiblePackages } from "../../../access/visibility.ts"
import type { Call } from "../packages/registry.ts"
import { textOf } from "./document.ts"
import { readMetadata } from "./metadata.ts"
import { findByWords } from "./store.ts"

const MOST = 250
const USUAL = 20

const numberIn = (query: URLSearchParams, name: string, usual: number): number => {
  const text = query.get(name) ?? ""
  return /^\d{1,9}$/.test(text) ? Number(text) : usual
}

/** The packages whose names hold all words of `text`, by name: a page of `size` after the first `from`. */
export async function search({ services, owner, actor, rights, query }: Call) {
  const db = services.database.read
  const words = (query.get("text") ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const size = Math.min(numberIn(query, "size", USUAL), MOST)
  const asked = { ownerId: owner.id, words: words.slice(0, 10), visible: visiblePackages(actor, rights) }
  const { rows, versions, total } = await findByWords(db, asked, { limit: size, offset: numberIn(query, "from", 0) })
  const objects = rows.flatMap(({ name, version_id }) => {
    const version = versions.find(({ id }) => id === version_id)
    if (!version) return []
    const { manifest } = readMetadata(version)
    const date = new Date(version.created_at * 1000).toISOString()
    const shown = {
      name,
      version: version.version,
      description: textOf(manifest["description"]) ?? "",
      keywords: Array.isArray(manifest["keywords"]) ? manifest["keywords"] : [],
      date,
      links: {},
      maintainers: [{ username: owner.name }],
      publisher: { username: owner.name },
    }
    return [{ package: shown, score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } }, searchScore: 1 }]
  })
  return { objects, total, time: new Date(services.now() * 1000).toISOString() }
}
