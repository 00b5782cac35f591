-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- access.findAcquaintance
select users.id
from users
where users.id = ?
  and (exists (
    select followed_id
    from follows
    where follower_id in ?
      and followed_id = ?) or exists (
    select follower_id
    from follows
    where follower_id = ?
      and followed_id in ?) or exists (
    select blocked_id
    from blocks
    where blocker_id in ?
      and blocked_id = ?) or exists (
    select theirs.user_id
    from organization_members as theirs
    left join organization_members as mine on mine.organization_id = theirs.organization_id
    where theirs.user_id = ?
      and (theirs.organization_id in ? or mine.user_id in ?)) or exists (
    select user_id
    from collaborations
    where user_id = ?
      and repository_id in (
        select repositories.id
        from repositories
        where repositories.owner_id in ?)) or exists (
    select id
    from issues
    where author_id = ?
      and repository_id in (
        select repositories.id
        from repositories
        where repositories.owner_id in ?)) or exists (
    select id
    from activities
    where actor_id = ?
      and repository_id in (
        select repositories.id
        from repositories
        where repositories.owner_id in ?)));

-- access.findAssignment
select id
from issue_assignees
where issue_id = ?
  and user_id = ?;

-- access.findCollaborations
select collaborations.repository_id as id, collaborations.mode as mode
from collaborations
where collaborations.user_id = ?
  and collaborations.repository_id in ?;

-- access.findCollaborationsOn
select collaborations.user_id as id, collaborations.mode as mode
from collaborations
where collaborations.repository_id = ?
  and collaborations.user_id in ?;

-- access.findCommentById
select *
from comments
where id = ?;

-- access.findDeletion
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where id = ?
  and created_at >= ?;

-- access.findIssueById
select *
from issues
where id = ?;

-- access.findIssueByNumber
select *
from issues
where repository_id = ?
  and number = ?;

-- access.findMemberOrganizations
select organization_members.organization_id as id
from organization_members
where organization_members.user_id = ?
  and organization_members.organization_id in ?;

-- access.findMembersAmong
select organization_members.user_id as id
from organization_members
where organization_members.organization_id = ?
  and organization_members.user_id in ?;

-- access.findMembership
select max(teams.mode) as mode, max(teams.can_create_repositories) as can_create_repositories, max(member.is_public) as is_public
from organization_members as member
left join team_members on team_members.organization_id = member.organization_id
  and team_members.user_id = member.user_id
left join teams on teams.id = team_members.team_id
where member.organization_id = ?
  and member.user_id = ?
group by member.user_id;

-- access.findMovedIssue
select issues.*
from moved_issues
inner join issues on issues.id = moved_issues.issue_id
where moved_issues.repository_id = ?
  and moved_issues.number = ?;

-- access.findOwnersAmong
select mine.user_id as id, own.mode as mode
from team_members as mine join teams as own on own.id = mine.team_id
where mine.organization_id = ?
  and mine.user_id in ?;

-- access.findOwnersTeamGrants
select team_members.organization_id as id, teams.mode as mode, team_units.unit as unit, team_units.mode as unit_mode
from team_members join teams on teams.id = team_members.team_id
left join team_units on team_units.team_id = teams.id
where team_members.user_id = ?
  and team_members.organization_id in ?;

-- access.findPullByIssue
select *
from pulls
where issue_id = ?;

-- access.findRepositoryById
select *
from repositories
where id = ?;

-- access.findRepositoryByName
select *
from repositories
where owner_id = ?
  and lower_name = ?;

-- access.findRepositoryRedirect
select repositories.id as repository_id, repositories.name as repository_name, users.name as owner_name, users.id as owner_id
from repository_redirects
inner join repositories on repositories.id = repository_redirects.repository_id
inner join users on users.id = repositories.owner_id
where repository_redirects.owner_id = ?
  and repository_redirects.lower_name = ?;

-- access.findReviewById
select *
from reviews
where id = ?;

-- access.findTeam
select *
from teams
where id = ?;

-- access.findTeamGrants
select team_repositories.repository_id as id, teams.mode as mode, team_units.unit as unit, team_units.mode as unit_mode
from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
left join team_units on team_units.team_id = teams.id
where team_members.user_id = ?
  and team_repositories.repository_id in ?;

-- access.findTeamGrantsOn
select team_members.user_id as id, teams.mode as mode, team_units.unit as unit, team_units.mode as unit_mode
from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
left join team_units on team_units.team_id = teams.id
where team_repositories.repository_id = ?
  and team_members.user_id in ?;

-- access.findTeamMember
select team_id
from team_members
where team_id = ?
  and user_id = ?;

-- access.findTransferOffers
select repository_transfers.repository_id as id
from repository_transfers
where (repository_transfers.recipient_id = ? or exists (
    select 1
    from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = repository_transfers.recipient_id
      and team_members.user_id = ?
      and teams.can_create_repositories = 1))
  and repository_transfers.repository_id in ?;

-- access.findUserById
select *
from users
where id = ?;

-- access.findUserByName
select *
from users
where lower_name = ?;

-- access.findUserRedirect
select users.*
from user_redirects
inner join users on users.id = user_redirects.user_id
where user_redirects.lower_name = ?;
