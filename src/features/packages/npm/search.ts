import { visiblePackages } from "../../../access/visibility.ts"
import { containsLower, inList } from "../../../core/database/expressions.ts"
import type { Call } from "../packages/registry.ts"
import { textOf } from "./document.ts"
import { readMetadata } from "./metadata.ts"
import { TYPE } from "./publish.ts"

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
    .filter((word) => word !== "" && !word.includes("\0"))
  const size = Math.min(numberIn(query, "size", USUAL), MOST)
  const found = db
    .selectFrom("packages")
    .where("packages.owner_id", "=", owner.id)
    .where("packages.type", "=", TYPE)
    .where(visiblePackages(actor, rights))
    .where((eb) => eb.and(words.slice(0, 10).map((word) => containsLower(eb.ref("packages.lower_name"), word))))
    .where((eb) =>
      eb.exists(
        eb.selectFrom("package_versions").select("package_versions.id").whereRef("package_versions.package_id", "=", "packages.id"),
      ),
    )
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .select((eb) => [
      "packages.id",
      "packages.name",
      eb.fn
        .coalesce(
          eb
            .selectFrom("package_tags")
            .select("package_tags.version_id")
            .whereRef("package_tags.package_id", "=", "packages.id")
            .where("package_tags.name", "=", "latest"),
          eb
            .selectFrom("package_versions")
            .select((each) => each.fn.max("package_versions.id").as("newest"))
            .whereRef("package_versions.package_id", "=", "packages.id"),
        )
        .as("version_id"),
    ])
    .orderBy("packages.lower_name")
    .limit(size)
    .offset(numberIn(query, "from", 0))
    .execute()
  const ids = rows.flatMap(({ version_id }) => (version_id === null ? [] : [version_id]))
  const versions = await db.selectFrom("package_versions").selectAll().where(inList("package_versions.id", ids)).execute()
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
