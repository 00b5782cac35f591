-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- reviews.clearOfficial
update reviews
set is_official = ?
where issue_id = ?
  and reviewer_id = ?
  and id != ?
  and is_official = ?;

-- reviews.delete
delete from reviews
where id in ?;

-- reviews.findBy
select *
from reviews
where issue_id = ?
  and reviewer_id = ?
order by created_at desc, id desc;

-- reviews.findCandidates
select users.*
from users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id in (
    select itself.id
    from users as itself
    where itself.id = ?
    union select user_id as id
    from organization_members
    where organization_id = ?
    union select user_id as id
    from collaborations
    where repository_id = ?
    union select user_id as id
    from watches
    where repository_id = ?
      and mode != ?)
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and (repositories.has_pull_requests = 1 and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.pulls'))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
order by users.lower_name, users.id;

-- reviews.findEntries
select *
from comments
where review_id = ?
  and kind in (?, ?, ?, ?)
order by id;

-- reviews.findHeard
select id, reviewer_id, is_official
from reviews
where id in (
    select max(each.id) as id
    from reviews as each
    where each.issue_id = ?
      and each.reviewer_id > ?
      and each.state in (?, ?, ?)
      and each.is_dismissed = ?
    group by each.reviewer_id)
order by id;

-- reviews.findLatest
select issue_id, reviewer_id
from reviews
where id in (
    select max(each.id) as id
    from reviews as each
    where each.issue_id in ?
      and each.reviewer_id > ?
      and each.state != ?
      and each.is_dismissed = ?
    group by each.issue_id, each.reviewer_id)
order by updated_at, id;

-- reviews.findLineComment
select comments.id, comments.issue_id, comments.kind, comments.author_id, comments.content, comments.resolver_id, comments.made_with, comments.created_at, comments.updated_at, review_comments.review_id, review_comments.path, review_comments.line, review_comments.lines, review_comments.hunk, review_comments.commit_id, review_comments.is_outdated
from review_comments
inner join comments on comments.id = review_comments.comment_id
where review_comments.comment_id = ?;

-- reviews.findLineComments
select comments.id, comments.issue_id, comments.kind, comments.author_id, comments.content, comments.resolver_id, comments.made_with, comments.created_at, comments.updated_at, review_comments.review_id, review_comments.path, review_comments.line, review_comments.lines, review_comments.hunk, review_comments.commit_id, review_comments.is_outdated
from review_comments
inner join comments on comments.id = review_comments.comment_id
where review_comments.review_id = ?
order by review_comments.path, review_comments.line, comments.id;

-- reviews.findLineCommentsOf
select comments.id, comments.issue_id, comments.kind, comments.author_id, comments.content, comments.resolver_id, comments.made_with, comments.created_at, comments.updated_at, review_comments.review_id, review_comments.path, review_comments.line, review_comments.lines, review_comments.hunk, review_comments.commit_id, review_comments.is_outdated
from review_comments
inner join comments on comments.id = review_comments.comment_id
where review_comments.review_id in ?
  and comments.kind = ?
order by review_comments.path, review_comments.line, comments.id;

-- reviews.findNamedCommits
select reviews.commit_id, review_comments.commit_id as line_commit_id
from reviews
inner join pulls on pulls.issue_id = reviews.issue_id
left join review_comments on review_comments.review_id = reviews.id
where pulls.repository_id = ?;

-- reviews.findOfficial
select state, is_stale
from reviews
where issue_id = ?
  and is_official = ?
  and is_dismissed = ?;

-- reviews.findPeopleByAddress
select users.*, emails.lower_email
from emails
inner join users on users.id = emails.user_id
where emails.lower_email in ?
  and emails.is_activated = ?
  and users.is_active = ?
  and users.prohibit_login = ?;

-- reviews.findPeopleByName
select *
from users
where lower_name in ?
  and is_active = ?
  and prohibit_login = ?
order by id;

-- reviews.findPlaced
select comments.id, comments.issue_id, comments.kind, comments.author_id, comments.content, comments.resolver_id, comments.made_with, comments.created_at, comments.updated_at, review_comments.review_id, review_comments.path, review_comments.line, review_comments.lines, review_comments.hunk, review_comments.commit_id, review_comments.is_outdated
from review_comments
inner join comments on comments.id = review_comments.comment_id
where comments.issue_id = ?
  and review_comments.is_outdated = ?
  and (comments.kind = ? or (comments.kind = ? and comments.author_id = ?))
order by review_comments.path, review_comments.line, comments.id;

-- reviews.findPlacedComments
select review_comments.comment_id, review_comments.path, review_comments.line, review_comments.lines
from review_comments
inner join reviews on reviews.id = review_comments.review_id
where reviews.issue_id = ?
  and review_comments.is_outdated = ?;

-- reviews.findRequests
select *
from reviews
where issue_id in ?
  and state = ?
order by id;

-- reviews.findReviewed
select id
from reviews
where issue_id = ?
  and commit_id != ?
limit ?;

-- reviews.findSpoken
select reviews.*, header.id as header_id, header.content, header.made_with, coalesce((
    select count(*) as total
    from review_comments
    where review_comments.review_id = reviews.id), 0) as comments_count
from reviews
left join comments as header on header.review_id = reviews.id
  and header.kind in (?, ?)
where reviews.id in ?
order by reviews.created_at, reviews.id;

-- reviews.findStaleApprovals
select id, reviewer_id
from reviews
where issue_id = ?
  and state = ?
  and is_stale = ?
  and is_dismissed = ?
order by id;

-- reviews.findTeamsNamed
select *
from teams
where organization_id = ?
  and lower_name in ?
order by id;

-- reviews.findVerdicts
select issue_id, reviewer_id, state, is_stale, is_official
from reviews
where id in (
    select max(each.id) as id
    from reviews as each
    where each.issue_id in ?
      and each.reviewer_id > ?
      and each.state in (?, ?)
      and each.is_dismissed = ?
    group by each.issue_id, each.reviewer_id)
order by id;

-- reviews.forget
update comments
set review_id = ?
where review_id = ?;

-- reviews.insert
insert into reviews(issue_id, reviewer_id, reviewer_team_id, state, commit_id, patch_id, is_official, is_stale, is_dismissed, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- reviews.insertLineComment
insert into review_comments(comment_id, review_id, path, line, lines, hunk, commit_id, is_outdated)
values (?, ?, ?, ?, ?, ?, ?, ?);

-- reviews.markStale
update reviews
set is_stale = case when patch_id = ? then 0 else 1 end
where issue_id = ?
  and commit_id != ?;

-- reviews.moveLineComment
update review_comments
set path = ?, line = ?, is_outdated = ?
where comment_id = ?;

-- reviews.publishEntry
update comments
set kind = ?, created_at = ?, updated_at = ?
where id = ?;

-- reviews.resolveLineComment
update comments
set resolver_id = ?
where id = ?
  and resolver_id is null;

-- reviews.setDismissed
update reviews
set is_dismissed = ?, updated_at = ?
where id in ?;

-- reviews.setOfficial
update reviews
set is_official = ?
where id = ?;

-- reviews.unresolveLineComment
update comments
set resolver_id = ?
where id = ?
  and resolver_id is not null;

-- reviews.update
update reviews
set state = ?, commit_id = ?, patch_id = ?, is_official = ?, is_stale = ?, updated_at = ?
where id = ?
returning *;

-- reviews.writeHeader
update comments
set content = ?, made_with = ?, updated_at = ?
where id = ?;
