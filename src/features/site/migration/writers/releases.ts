import { flag } from "../../../../core/database/tables/index.ts"
import { clean, cut } from "../../../code/mirrors/import-target.ts"
import { insertRelease, updateRelease } from "../../../code/releases/store.ts"
import { recountReleases } from "../../../code/repositories/counters-store.ts"
import type { Release } from "../origins/model.ts"
import { type Landing, news, remember } from "./landing.ts"
import { findReleases, findTagNames } from "./store.ts"

export async function writeReleases(landing: Landing, records: readonly Release[]): Promise<void> {
  const { tx, repository, people, imported, text } = landing
  const there = new Map((await findReleases(tx, repository.id)).map(({ id, tag_name }) => [tag_name, id]))
  const tags = new Set((await findTagNames(tx, repository.id)).map(({ name }) => name))
  // Other servers list the newest first; here it gets the highest id.
  for (const { record, here } of (await news(landing, "releases", records)).toReversed()) {
    const tagName = clean(record.tag)
    const known = here?.localId ?? there.get(tagName)
    const row = {
      target_commitish: clean(record.target),
      title: cut(record.title, 255),
      note: text(record.body),
      // A release whose tag is missing can't be published.
      is_draft: flag(record.isDraft || !tags.has(tagName)),
      is_prerelease: flag(record.isPrerelease),
    }
    const { id } =
      known === undefined
        ? await insertRelease(tx, {
            repository_id: repository.id,
            tag_name: tagName,
            ...row,
            publisher_id: (await people.idOf(record.author)) || imported.doer_id,
            created_at: record.createdAt,
          })
        : await updateRelease(tx, known, row)
    there.set(tagName, id)
    await remember(landing, "releases", record, id)
  }
  await recountReleases(tx, repository.id)
}
