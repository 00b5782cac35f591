-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- visible_repositories
(repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0)) or exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))))

-- readable_actions
(repositories.has_actions = 1 and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.actions'))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0)))))

-- readable_pulls
(repositories.has_pull_requests = 1 and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.pulls'))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0)))))

-- visible_organizations
(users.visibility = 'public' or users.visibility = 'limited' or exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?))

-- visible_teams
(exists (
    select 1
    from team_members
    where team_members.team_id = teams.id
      and team_members.user_id = ?) or exists (
    select 1
    from users as owner
    where owner.id = teams.organization_id
      and (exists (
        select 1
        from team_members as mine join teams as own on own.id = mine.team_id
        where mine.organization_id = owner.id
          and mine.user_id = ?
          and own.mode >= 4) or (teams.visibility = 'limited' and exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)) or (teams.visibility = 'public' and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?))))))

-- listed_users
(users.visibility = 'public' or users.id = ? or users.visibility = 'limited' or exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?) or exists (
    select 1
    from follows
    where follows.follower_id = users.id
      and follows.followed_id = ?) or exists (
    select 1
    from team_members as theirs join team_members as mine on mine.team_id = theirs.team_id
    where theirs.user_id = users.id
      and mine.user_id = ?))
