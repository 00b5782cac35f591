import { onRepository, onRepositorySignedIn } from "../../access/policies/repositories.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page } from "../../core/page.ts"
import { unwatch, watch } from "../../features/code/watches/rules.ts"
import { findWatchers } from "../../features/code/watches/store.ts"
import { repositoryPath } from "../../web/address.ts"
import { empty } from "../../web/components.ts"
import { peoplePage } from "./people.ts"

export const watchPages: readonly Page[] = [
  page({
    id: "repository.watchers",
    address: "GET /{owner}/{repo}/watchers",
    access: onRepository,
    answer: async (call) =>
      peoplePage(call, {
        title: t("Watchers"),
        found: await findWatchers(call.db, call.actor, call.repository.id, call.page),
        empty: empty("eye", t("No one is watching this repository"), t("Watchers are notified about activity in the repository.")),
      }),
  }),

  page({
    id: "repository.watch",
    address: "POST /{owner}/{repo}/action/watch",
    access: onRepositorySignedIn,
    undoneBy: ["repository.unwatch"],
    answer: async (call) => {
      const { services, actor, repository } = call
      await services.database.write((tx) => watch(tx, actor, repository.id, services.now()))
      return moved(repositoryPath(call), {
        flash: t("You are watching this repository."),
        undo: { form: "repository.unwatch", path: call.path, fields: {} },
      })
    },
  }),

  page({
    id: "repository.unwatch",
    address: "POST /{owner}/{repo}/action/unwatch",
    access: onRepositorySignedIn,
    undoneBy: ["repository.watch"],
    answer: async (call) => {
      const { services, me, repository } = call
      await services.database.write((tx) => unwatch(tx, me, repository.id))
      return moved(repositoryPath(call), {
        flash: t("You are no longer watching this repository."),
        undo: { form: "repository.watch", path: call.path, fields: {} },
      })
    },
  }),
]
