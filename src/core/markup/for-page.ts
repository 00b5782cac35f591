import type { Services } from "../services.ts"
import type { Rendering } from "./rendering.ts"

/** What addresses of pictures of other sites are signed with: a key of its own, which the thread that renders may have. */
export const pictureKey = ({ secrets }: Pick<Services, "secrets">): string => secrets.mac("pictures of other sites", "key")

/** What a text is rendered with that stands on a page of this site. */
export const forPage = (services: Pick<Services, "config" | "secrets">): Pick<Rendering, "isForPage" | "pictureKey"> => ({
  isForPage: true,
  pictureKey: services.config.markup.remoteImages === "proxy" ? pictureKey(services) : undefined,
})
