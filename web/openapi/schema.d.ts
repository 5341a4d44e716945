// Generated from tests/architecture/openapi.json by `npm run api`. Do not edit.
export interface paths {
    "/api/v1/agent/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin or go on with storing an artifact
         * @description A file of the attempt's output folder. Go on with part `next_part`; then complete it.
         */
        post: operations["start_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/artifacts/{artifact}/parts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hand in a part of an artifact
         * @description Parts have 8 MiB each, the last one the rest, and come in order. One that is stored already, or comes before its
         *     turn, is not stored: go on from `next_part`.
         */
        put: operations["put_artifact_part"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/artifacts/{artifact}:complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an artifact
         * @description Reads all parts back and compares their digest. Where parts are missing, go on from `next_part`.
         */
        post: operations["complete_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/cursors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far everything is stored
         * @description The first byte not stored yet, by log source; for an agent that starts anew.
         */
        get: operations["get_cursors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand in metrics
         * @description Points of the job's metrics file, in order, logged into the attempt's MLflow run. As with segments, go on from
         *     `next_byte`.
         */
        post: operations["post_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Tell how the process stands
         * @description From the agent beside the process, where the engine cannot look itself. The last one counts, but what has ended
         *     has ended.
         */
        put: operations["put_report"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hand in a function's result
         * @description At most 16 MiB. The last one handed in counts.
         */
        put: operations["put_result"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand in resource samples
         * @description CPU, memory and accelerators of one node. The same moment sent twice is kept once.
         */
        post: operations["post_samples"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hand in a segment of a log
         * @description Bytes of one source, in order. What is stored already is answered and not stored again; what would leave a gap
         *     is refused with 409 `log_gap`. Either way go on from `next_byte`.
         */
        put: operations["put_segment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how the platform is
         * @description Dependencies, how late operators and workers are, what is stuck, and versions. For platform admins.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description A token for 30 days. A wrong password and an unknown user get the same answer; repeated failures have to wait.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who am I
         * @description The caller, and the projects that the caller can use (the first 1,000 by name).
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me:change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change my password
         * @description Needs the old one. Ends the caller's other sign-ins; tokens made for programs stay.
         *
         *     Repeating it gives the same answer, so it takes no `Idempotency-Key`. Wrong passwords count as at signing in.
         */
        post: operations["change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes in use
         * @description CPU, memory and accelerators in use on the nodes of live jobs, at most 1,000, of projects the caller can see.
         */
        get: operations["list_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pools
         * @description All pools by name, with what is in use of each now.
         */
        get: operations["list_pools"];
        put?: never;
        /**
         * Make a pool
         * @description For platform admins. One pool with and one without accelerators can be the default.
         */
        post: operations["create_pool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a pool
         * @description Its shape, its price, and what is in use of it now.
         */
        get: operations["get_pool"];
        put?: never;
        post?: never;
        /**
         * Delete a pool
         * @description For platform admins. Refused while unfinished jobs or clusters use it.
         */
        delete: operations["delete_pool"];
        options?: never;
        head?: never;
        /**
         * Change a pool
         * @description For platform admins. What runs there goes on, also in a pool that became smaller.
         */
        patch: operations["change_pool"];
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Projects that the caller is a member of, by name; all of them for a platform admin.
         */
        get: operations["list_projects"];
        put?: never;
        /**
         * Make a project
         * @description For platform admins. Who makes it is its first owner; its MLflow space is made in the background.
         */
        post: operations["create_project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a project
         * @description Its limits, and the caller's role in it.
         */
        get: operations["get_project"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Hides it from everyone at once. Refused while jobs or clusters of it have not ended.
         */
        delete: operations["delete_project"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Owners change the description, platform admins the limits too.
         */
        patch: operations["change_project"];
        trace?: never;
    };
    "/api/v1/projects/{project}/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List clusters
         * @description Newest first, those that have ended included.
         */
        get: operations["list_clusters"];
        put?: never;
        /**
         * Ask for a cluster
         * @description It starts when quota allows, and stays until it is stopped; follow `phase` and `reason`.
         */
        post: operations["create_cluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/clusters/{cluster}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a cluster
         * @description As it stands. Of several clusters of a name the one that has not ended, else the newest.
         */
        get: operations["get_cluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/clusters/{cluster}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a cluster's events
         * @description Its history, oldest first.
         */
        get: operations["list_cluster_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/clusters/{cluster}:stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a cluster
         * @description Ask it to end. Asking again changes nothing.
         */
        post: operations["stop_cluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List environments
         * @description Newest first, named and unnamed ones.
         */
        get: operations["list_environments"];
        put?: never;
        /**
         * Ask for an environment
         * @description It is resolved soon after; follow `phase`. An unnamed one is the same one for the same request.
         */
        post: operations["create_environment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/environments/{environment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an environment
         * @description With its lock, once it is resolved.
         */
        get: operations["get_environment"];
        put?: never;
        post?: never;
        /**
         * Delete an environment
         * @description Only one that no job refers to.
         */
        delete: operations["delete_environment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Newest first.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What goes on in a project
         * @description What runs, what waits and why, what failed in the last 24 hours, and how many of each phase there are.
         */
        get: operations["get_home"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Newest first unless sorted otherwise. `total` is given up to 10,000 jobs.
         */
        get: operations["list_jobs"];
        put?: never;
        /**
         * Submit a job
         * @description It is queued at once. What can never run is refused here, with what could; everything else shows in `reason`.
         */
        post: operations["create_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a job
         * @description As it stands: phase, reason, what it waits for. Of several jobs of a name the one that has not ended.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's artifacts
         * @description Files that one attempt left in its output folder, by path; also those still being stored.
         */
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/artifacts/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact
         * @description The bytes of one file, once it is complete. Takes one `Range`, to go on with a broken download.
         */
        get: operations["get_artifact_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/artifacts:log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put an artifact into the MLflow run
         * @description Soon, and tried again while MLflow is away; the job's event `ArtifactLogged` says when it is done.
         *
         *     Asking twice is asking once, so it takes no `Idempotency-Key`.
         */
        post: operations["log_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's attempts
         * @description All of them, the first one first.
         */
        get: operations["list_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/environment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a job's environment
         * @description Requirements and the lock that they were resolved to.
         */
        get: operations["get_job_environment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's events
         * @description Its history, oldest first: what changed, who or what did it, and why.
         */
        get: operations["list_job_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read or follow a job's log
         * @description Lines of all sources by the time they were read, rendered: control sequences other than colours are dropped,
         *     of a redrawn line (progress bar) the last state is shown, endless lines are folded. The raw bytes are at `/raw`.
         *
         *     A search looks at 64 MiB per request; `next` goes on from there. An unfinished line comes last, marked `partial`.
         */
        get: operations["read_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/logs/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a job's log byte for byte
         * @description Exactly what the processes wrote, nothing rendered, folded or dropped.
         */
        get: operations["download_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/logs/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sources of a job's log
         * @description The driver and each worker process of an attempt, with what is stored of them.
         */
        get: operations["list_log_sources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job's metrics
         * @description From MLflow, thinned so that lows and highs stay. A step logged again by a later attempt counts as that one.
         */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a job's result
         * @description The result of a function submitted by `client.remote`. Trust it as far as you trust the job's code.
         */
        get: operations["get_result"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a job logged
         * @description Parameters, last values of metrics, and tags of an attempt's MLflow run.
         */
        get: operations["get_job_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job's use of machines
         * @description CPU, memory and accelerators of each node of an attempt, also long after it ended.
         */
        get: operations["get_samples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain where a job is
         * @description What it waits for and behind whom, what would let it start now, and how long this usually takes.
         *
         *     Jobs of projects that the caller cannot see are counted, never named.
         */
        get: operations["explain_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}:cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description Ask it to end: SIGTERM, the grace period, SIGKILL for all that is left. Asking again changes nothing.
         */
        post: operations["cancel_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs/{job}:retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again
         * @description Queue a failed or cancelled job again, as a fresh attempt of the same job with all its automatic retries.
         */
        post: operations["retry_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/jobs:count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count jobs by phase
         * @description Of the same filters as the list; `phase` is passed over, so that each phase is told how many it would add.
         */
        get: operations["count_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Who may do what here, those who came first first.
         */
        get: operations["list_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a user a role
         * @description Makes the user a member, or changes the role. A project always keeps an owner.
         */
        put: operations["put_member"];
        post?: never;
        /**
         * Remove a member
         * @description The user no longer sees the project. A project always keeps an owner.
         */
        delete: operations["remove_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description By name, from MLflow's registry.
         */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a model
         * @description Its aliases, tags and latest version.
         */
        get: operations["get_model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/models/{model}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a model's versions
         * @description Newest first, each with the job, code and environment that made it, and what its run logged.
         */
        get: operations["list_model_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List packages
         * @description Packages of the project, newest first, unfinished uploads included.
         */
        get: operations["list_packages"];
        put?: never;
        /**
         * Begin or go on with an upload
         * @description Says which parts the platform has; send the others, then complete it. A whole package has them all.
         *
         *     The digest makes it idempotent, so it takes no `Idempotency-Key`.
         */
        post: operations["create_package"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a package
         * @description With its first 1,000 files.
         */
        get: operations["get_package"];
        put?: never;
        post?: never;
        /**
         * Delete a package
         * @description Refused while any job names it, also an ended one: jobs are reproduced from their package.
         */
        delete: operations["delete_package"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a package
         * @description The archive as it was sent. Takes one `Range`, to go on with a broken download.
         */
        get: operations["get_package_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a package's files
         * @description With sizes and checksums, so that two packages can be compared without reading them.
         */
        get: operations["list_package_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a text file of a package
         * @description Always as plain text, whatever its name says, up to 1 MiB; 413 for a larger one, 422 for what is no text.
         */
        get: operations["get_package_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}/parts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send one part
         * @description Parts have 8 MiB each, the last one the rest. They may come in any order, at the same time, and again.
         */
        put: operations["put_package_part"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/packages/{digest}:complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload
         * @description Joins the parts, proves the digest, and refuses archives that could do harm where they are unpacked.
         *
         *     Repeating it gives the same answer, so it takes no `Idempotency-Key`.
         */
        post: operations["complete_package"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a browser in
         * @description Sets a cookie that scripts cannot read, in place of a token. It ends with the token that it was begun by.
         *
         *     What the cookie may change is only asked for by the platform's own pages: other sites are refused.
         */
        post: operations["create_session"];
        /**
         * Sign a browser out
         * @description The session ends at once in this process, within five seconds in every other one, and its cookie goes.
         */
        delete: operations["end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a sign-in link
         * @description Good once and for ten minutes. What follows `#` never reaches a server: the page sends it as `link`.
         *
         *     Every call makes another link, so it takes no `Idempotency-Key`.
         */
        post: operations["create_session_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events and jobs
         * @description First the jobs that have not ended, as they stand; then each event once, and each job whenever it changed.
         *
         *     Reconnecting behind the last event's id loses none and repeats none.
         */
        get: operations["follow_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my tokens
         * @description The caller's own tokens, newest first, expired ones included.
         */
        get: operations["list_tokens"];
        put?: never;
        /**
         * Make a token
         * @description A token that may do what the caller may do, or less. It is shown this once.
         */
        post: operations["create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one of my tokens
         * @description All of it but the secret.
         */
        get: operations["get_token"];
        put?: never;
        post?: never;
        /**
         * Revoke one of my tokens
         * @description At once in this process, within five seconds in every other one.
         */
        delete: operations["revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what is held of each pool
         * @description Stacked by project; those that the caller cannot see are one nameless part.
         */
        get: operations["get_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description All accounts, newest first.
         */
        get: operations["list_users"];
        put?: never;
        /**
         * Make a user
         * @description An account with a password. It sees no project until it is made a member of one.
         */
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a user
         * @description One account.
         */
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Name, password, admin or not, active or not. The last active admin stays one.
         */
        patch: operations["change_user"];
        trace?: never;
    };
    "/client/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How to install the client
         * @description A page for people: the lines to type on the own machine.
         */
        get: operations["get_client_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the client
         * @description The wheel of the client that this platform was released with.
         */
        get: operations["get_client_wheel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is this process alive
         * @description Answers as long as the process can answer at all; asks nobody else.
         */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Does everything it needs answer
         * @description Asks each dependency, at most two seconds each. 503 when one that is required does not answer.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Ahead
         * @description A job or cluster that is before another one in a pool's queue.
         */
        Ahead: {
            /**
             * Id
             * @description Null where it belongs to a project the caller cannot see.
             */
            id?: string | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "job" | "cluster";
            /** Name */
            name: string;
            /** Project */
            project?: string | null;
            /** Since */
            since?: string | null;
        };
        /** Alive */
        Alive: {
            /**
             * Client Version
             * @description Of the client that `/client/` serves.
             */
            client_version: string;
            /**
             * Status
             * @example alive
             */
            status: string;
            /** Version */
            version: string;
        };
        /** ArtifactComplete */
        ArtifactComplete: {
            /**
             * Sha256
             * @description Of the whole file, in hexadecimal.
             */
            sha256: string;
        };
        /** ArtifactLog */
        ArtifactLog: {
            /**
             * Path
             * @description As the list has it.
             * @example model/weights.bin
             */
            path: string;
            /**
             * To
             * @description Its path in the run; the same one if absent.
             */
            to?: string | null;
        };
        /** ArtifactRead */
        ArtifactRead: {
            /** Attempt */
            attempt: number;
            /**
             * Complete
             * @description Whole, and of the digest that the agent counted. Only then it can be read.
             */
            complete: boolean;
            /** Completed At */
            completed_at?: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Path */
            path: string;
            /** Sha256 */
            sha256?: string | null;
            /** Size */
            size: number;
            /**
             * Stored
             * @description Bytes that have arrived; `size` once all have.
             */
            stored: number;
        };
        /** ArtifactStart */
        ArtifactStart: {
            /**
             * Path
             * @description Below the output folder, with `/` between its parts.
             */
            path: string;
            /**
             * Size
             * @description Bytes of the whole file.
             */
            size: number;
        };
        /**
         * ArtifactUpload
         * @description The server is the authority: the agent goes on with part `next_part`, counted from 0.
         */
        ArtifactUpload: {
            /**
             * Complete
             * @default false
             */
            complete: boolean;
            /** Id */
            id: string;
            /** Next Part */
            next_part: number;
            /**
             * Part Size
             * @default 8388608
             */
            part_size: number;
            /**
             * Parts
             * @description How many parts the file has; all but the last have `part_size` bytes.
             */
            parts: number;
        };
        /**
         * AttemptOutcome
         * @description How an attempt ended. A preempted attempt is followed by another one.
         * @enum {string}
         */
        AttemptOutcome: "succeeded" | "failed" | "cancelled" | "preempted";
        /** AttemptRead */
        AttemptRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Duration Seconds */
            duration_seconds?: number | null;
            /** Ended At */
            ended_at?: string | null;
            /** Environment Digest */
            environment_digest?: string | null;
            /** Exit Code */
            exit_code?: number | null;
            failure?: components["schemas"]["Failure"] | null;
            /** Id */
            id: string;
            /**
             * Memory Factor
             * @default 1
             */
            memory_factor: number;
            /** Message */
            message: string;
            /** Number */
            number: number;
            outcome?: components["schemas"]["AttemptOutcome"] | null;
            phase: components["schemas"]["JobPhase"];
            /** Reason */
            reason: string;
            run?: components["schemas"]["ResourceRef"] | null;
            /** Signal */
            signal?: number | null;
            /** Started At */
            started_at?: string | null;
        };
        /**
         * Blocker
         * @description A job that holds what another one waits for.
         */
        Blocker: {
            /** Holds */
            holds: string;
            /**
             * Job Id
             * @description Null where the job belongs to a project the caller cannot see.
             */
            job_id?: string | null;
            /** Name */
            name?: string | null;
            /** Project */
            project?: string | null;
            /** Since */
            since?: string | null;
        };
        /** CancelRequest */
        CancelRequest: {
            /**
             * Grace
             * @description Overrides the job's grace period.
             */
            grace?: string | null;
        };
        /** Checkpoint */
        "Checkpoint-Input": {
            /**
             * Interval
             * @example 1h30m
             */
            interval?: string;
        };
        /** Checkpoint */
        "Checkpoint-Output": {
            /**
             * Interval
             * @default 5m
             * @example 1h30m
             */
            interval: string;
        };
        /** ClusterCreate */
        ClusterCreate: {
            /** Name */
            name: string;
            resources?: components["schemas"]["Resources-Input"];
        };
        /**
         * ClusterPhase
         * @enum {string}
         */
        ClusterPhase: "queued" | "provisioning" | "ready" | "stopping" | "stopped" | "failed";
        /** ClusterRead */
        ClusterRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Ended At */
            ended_at?: string | null;
            /** Etag */
            etag: string;
            /** Id */
            id: string;
            /** Message */
            message: string;
            /** Name */
            name: string;
            /**
             * Nodes Ready
             * @default 0
             */
            nodes_ready: number;
            /** Nodes Wanted */
            nodes_wanted: number;
            phase: components["schemas"]["ClusterPhase"];
            /**
             * Phase Since
             * Format: date-time
             */
            phase_since: string;
            /** Project */
            project: string;
            /** @description While it is queued for machines. */
            queue?: components["schemas"]["QueuePlace"] | null;
            /** Ready At */
            ready_at?: string | null;
            /** Reason */
            reason: string;
            resources: components["schemas"]["Resources-Output"];
            /**
             * Running Jobs
             * @description Jobs that have not ended and run on this cluster.
             * @default 0
             */
            running_jobs: number;
            /** Url */
            url: string;
        };
        /**
         * Cursors
         * @description First byte not yet stored, by log source; `metrics` is the offset in the metrics file.
         */
        Cursors: {
            /**
             * Metrics
             * @default 0
             */
            metrics: number;
            /** Sources */
            sources: {
                [key: string]: number;
            };
        };
        /** Dependency */
        Dependency: {
            /** Message */
            message: string;
            /** Milliseconds */
            milliseconds: number;
            /** Name */
            name: string;
            /** Ok */
            ok: boolean;
            /**
             * Required
             * @description Without it nothing works; without the others something is late or missing.
             */
            required: boolean;
        };
        /**
         * DryRun
         * @description What would happen on submit: the normalised spec, its price, and where it fits.
         */
        DryRun: {
            /**
             * Command
             * @description Exactly what will run: the script, or argv quoted for a shell.
             */
            command: string;
            /** Fits Now */
            fits_now: boolean;
            /** Message */
            message: string;
            /** Placements */
            placements: components["schemas"]["PoolFit"][];
            /** Price Per Hour */
            price_per_hour: number;
            spec: components["schemas"]["JobCreate-Output"];
        };
        /** EnvironmentCreate */
        EnvironmentCreate: {
            /**
             * Name
             * @description Name for later use; anonymous if absent.
             */
            name?: string | null;
            /** Python */
            python?: string;
            /** Requirements */
            requirements?: string[];
        };
        /**
         * EnvironmentPhase
         * @enum {string}
         */
        EnvironmentPhase: "resolving" | "ready" | "failed";
        /** EnvironmentRead */
        EnvironmentRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /**
             * Digest
             * @description sha256 of the lock; null until resolved.
             */
            digest?: string | null;
            /** Id */
            id: string;
            /**
             * Lock
             * @description The resolved lock, one pinned requirement a line.
             */
            lock?: string | null;
            /** Message */
            message: string;
            /** Name */
            name: string | null;
            phase: components["schemas"]["EnvironmentPhase"];
            /** Project */
            project: string;
            /** Python */
            python: string;
            /** Reason */
            reason: string;
            /** Requirements */
            requirements: string[];
            /**
             * Used By Jobs
             * @default 0
             */
            used_by_jobs: number;
        };
        /**
         * EnvironmentSpec
         * @description What the code needs. Resolved to a lock whose digest is stored with every attempt.
         */
        EnvironmentSpec: {
            /**
             * Name
             * @description A named environment of the project; excludes `requirements`.
             */
            name?: string | null;
            /** Python */
            python?: string;
            /** Requirements */
            requirements?: string[];
            /** Variables */
            variables?: {
                [key: string]: string;
            };
        };
        /** EventRead */
        EventRead: {
            /** Actor */
            actor: string;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Attempt */
            attempt?: number | null;
            /** Data */
            data?: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /** Message */
            message: string;
            /** Project */
            project: string;
            /** Reason */
            reason: string;
            /** Resource */
            resource: string;
            /** Resource Id */
            resource_id: string;
            /** Resource Name */
            resource_name: string;
        };
        /**
         * Failure
         * @description Why a job or attempt failed: a class, a sentence, the evidence, and what to do next.
         */
        Failure: {
            class: components["schemas"]["FailureClass"];
            /** Decided By */
            decided_by?: string | null;
            /** Exit Code */
            exit_code?: number | null;
            /** Hint */
            hint?: string | null;
            /** Last Lines */
            last_lines?: string[];
            /** Memory Limit Bytes */
            memory_limit_bytes?: number | null;
            /** Memory Used Bytes */
            memory_used_bytes?: number | null;
            /** Message */
            message: string;
            /** Node */
            node?: string | null;
            /** Signal */
            signal?: number | null;
            /** Signal Name */
            signal_name?: string | null;
            /** Task */
            task?: string | null;
        };
        /**
         * FailureClass
         * @enum {string}
         */
        FailureClass: "user_error" | "oom" | "preempted" | "node_lost" | "image" | "environment" | "quota" | "timeout" | "infra";
        /** FieldProblem */
        FieldProblem: {
            /**
             * Field
             * @description Path of the field, such as `resources.groups.0.gpu`.
             */
            field: string;
            /** Message */
            message: string;
        };
        /** GpuSample */
        GpuSample: {
            /** Index */
            index: number;
            /** Memory Bytes */
            memory_bytes: number;
            /** Utilisation */
            utilisation: number;
        };
        /**
         * Head
         * @description The head node; the driver runs here.
         */
        "Head-Input": {
            /** Cpu */
            cpu?: number;
            /**
             * Memory
             * @example 2Gi
             */
            memory?: string;
            /**
             * Pool
             * @description Pool of the head; the platform's default CPU pool if absent.
             */
            pool?: string | null;
        };
        /**
         * Head
         * @description The head node; the driver runs here.
         */
        "Head-Output": {
            /**
             * Cpu
             * @default 1
             */
            cpu: number;
            /**
             * Memory
             * @default 2Gi
             * @example 2Gi
             */
            memory: string;
            /**
             * Pool
             * @description Pool of the head; the platform's default CPU pool if absent.
             */
            pool?: string | null;
        };
        /**
         * JobCounts
         * @description How many jobs of each phase a filter leaves.
         */
        JobCounts: {
            /**
             * Most
             * @description Counting stops here: a phase with so many may have more.
             */
            most: number;
            /**
             * Phases
             * @description Every phase, also those with none.
             */
            phases: {
                [key: string]: number;
            };
        };
        /**
         * JobCreate
         * @description A job as people ask for it: the fields of `mlp.yaml`, the SDK's arguments, the command's flags.
         */
        "JobCreate-Input": {
            checkpoint?: components["schemas"]["Checkpoint-Input"];
            /**
             * Cluster
             * @description Run on this running cluster instead of an own one.
             */
            cluster?: string | null;
            /**
             * Deadline
             * @description Of the whole job, queueing included.
             */
            deadline?: string | null;
            /**
             * Entrypoint
             * @description A string is a bash line with errexit and pipefail; a list is the exact argument vector, no shell.
             * @example python train.py --epochs 5
             * @example [
             *       "python",
             *       "train.py",
             *       "--name",
             *       "a b"
             *     ]
             */
            entrypoint: string | string[];
            environment?: components["schemas"]["EnvironmentSpec"];
            /**
             * Grace
             * @description Between SIGTERM and SIGKILL.
             * @example 1h30m
             */
            grace?: string;
            kind?: components["schemas"]["JobKind"];
            model?: components["schemas"]["ModelSpec"] | null;
            /**
             * Name
             * @description For people; made from the entrypoint if absent.
             */
            name?: string | null;
            /**
             * Package
             * @description Digest of an uploaded package; the job runs in its root.
             */
            package?: string | null;
            priority?: components["schemas"]["Priority"];
            resources?: components["schemas"]["Resources-Input"];
            retries?: components["schemas"]["Retries"];
            run?: components["schemas"]["RunSpec"];
            /**
             * Timeout
             * @description Of one attempt, running time only.
             */
            timeout?: string | null;
        };
        /**
         * JobCreate
         * @description A job as people ask for it: the fields of `mlp.yaml`, the SDK's arguments, the command's flags.
         */
        "JobCreate-Output": {
            /**
             * @default {
             *       "interval": "5m"
             *     }
             */
            checkpoint: components["schemas"]["Checkpoint-Output"];
            /**
             * Cluster
             * @description Run on this running cluster instead of an own one.
             */
            cluster?: string | null;
            /**
             * Deadline
             * @description Of the whole job, queueing included.
             */
            deadline?: string | null;
            /**
             * Entrypoint
             * @description A string is a bash line with errexit and pipefail; a list is the exact argument vector, no shell.
             * @example python train.py --epochs 5
             * @example [
             *       "python",
             *       "train.py",
             *       "--name",
             *       "a b"
             *     ]
             */
            entrypoint: string | string[];
            /**
             * @default {
             *       "python": "3.11",
             *       "requirements": [],
             *       "variables": {}
             *     }
             */
            environment: components["schemas"]["EnvironmentSpec"];
            /**
             * Grace
             * @description Between SIGTERM and SIGKILL.
             * @default 30s
             * @example 1h30m
             */
            grace: string;
            /** @default script */
            kind: components["schemas"]["JobKind"];
            model?: components["schemas"]["ModelSpec"] | null;
            /**
             * Name
             * @description For people; made from the entrypoint if absent.
             */
            name?: string | null;
            /**
             * Package
             * @description Digest of an uploaded package; the job runs in its root.
             */
            package?: string | null;
            /** @default normal */
            priority: components["schemas"]["Priority"];
            /**
             * @default {
             *       "groups": [],
             *       "head": {
             *         "cpu": 1,
             *         "memory": "2Gi"
             *       }
             *     }
             */
            resources: components["schemas"]["Resources-Output"];
            /**
             * @default {
             *       "max": 0,
             *       "memory_factor": 1,
             *       "on": [
             *         "node_lost",
             *         "infra",
             *         "oom"
             *       ]
             *     }
             */
            retries: components["schemas"]["Retries"];
            /**
             * @default {
             *       "tags": {}
             *     }
             */
            run: components["schemas"]["RunSpec"];
            /**
             * Timeout
             * @description Of one attempt, running time only.
             */
            timeout?: string | null;
        };
        /**
         * JobKind
         * @enum {string}
         */
        JobKind: "script" | "train";
        /**
         * JobPhase
         * @enum {string}
         */
        JobPhase: "queued" | "admitted" | "provisioning" | "running" | "sealing" | "succeeded" | "failed" | "cancelled";
        /**
         * JobRead
         * @description A job as it stands.
         */
        JobRead: {
            /** Admitted At */
            admitted_at?: string | null;
            /**
             * Attempt
             * @description Number of the current attempt; 0 before the first.
             */
            attempt: number;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Duration Seconds */
            duration_seconds?: number | null;
            /** Ended At */
            ended_at?: string | null;
            /** Environment Digest */
            environment_digest?: string | null;
            /** Etag */
            etag: string;
            /** Exit Code */
            exit_code?: number | null;
            failure?: components["schemas"]["Failure"] | null;
            /**
             * Has Result
             * @description Whether it left the result of a function.
             * @default false
             */
            has_result: boolean;
            /** Id */
            id: string;
            kind: components["schemas"]["JobKind"];
            /** Message */
            message: string;
            model?: components["schemas"]["RegisteredModel"] | null;
            /** Name */
            name: string;
            /** Package */
            package?: string | null;
            phase: components["schemas"]["JobPhase"];
            /**
             * Phase Since
             * Format: date-time
             */
            phase_since: string;
            /** Project */
            project: string;
            /** @description While it is queued for machines. */
            queue?: components["schemas"]["QueuePlace"] | null;
            /** Reason */
            reason: string;
            /** @description The MLflow run of the current attempt. */
            run?: components["schemas"]["ResourceRef"] | null;
            /** Signal */
            signal?: number | null;
            spec: components["schemas"]["JobCreate-Output"];
            /** Started At */
            started_at?: string | null;
            /**
             * Stop Requested
             * @default false
             */
            stop_requested: boolean;
            /** Url */
            url: string;
        };
        /**
         * JobRun
         * @description What one attempt of a job has logged in MLflow, to be compared with another's.
         */
        JobRun: {
            /** Attempt */
            attempt: number;
            /**
             * Metrics
             * @description Last values.
             */
            metrics: {
                [key: string]: number;
            };
            /** Parameters */
            parameters: {
                [key: string]: string;
            };
            run: components["schemas"]["ResourceRef"];
            /** Status */
            status: string;
            /**
             * Tags
             * @description Without MLflow's and the platform's own.
             */
            tags: {
                [key: string]: string;
            };
        };
        /**
         * LogChunk
         * @description Lines of one source, in the order they were written.
         */
        LogChunk: {
            /**
             * At
             * Format: date-time
             * @description When the agent read the lines.
             */
            at: string;
            /** Attempt */
            attempt: number;
            /** Lines */
            lines: string[];
            /**
             * Partial
             * @description The one line has no newline yet, such as a progress bar; it comes again with the same number.
             * @default false
             */
            partial: boolean;
            /**
             * Source
             * @description `driver`, `<node>/<pid>` or `<node>/<pid>/err`.
             */
            source: string;
            /**
             * Start
             * @description Number of the first line within its source, from 0.
             */
            start: number;
        };
        /**
         * LogPage
         * @description Lines of all sources that were asked for, by time.
         */
        LogPage: {
            /**
             * Attempt
             * @description Number of the attempt; 0 where none has started yet.
             */
            attempt: number;
            /**
             * Complete
             * @description The attempt has ended, so that nothing will be added.
             */
            complete: boolean;
            /** Items */
            items: components["schemas"]["LogChunk"][];
            /**
             * Next
             * @description Cursor of the next page; null where nothing more is stored.
             */
            next?: string | null;
            /**
             * Resume
             * @description Cursor at which to follow on from here, as `Last-Event-ID` or `cursor`.
             */
            resume: string;
        };
        /**
         * LogSource
         * @description One stream of bytes of an attempt.
         */
        LogSource: {
            /** Attempt */
            attempt: number;
            /** Bytes */
            bytes: number;
            /**
             * Lines
             * @description Complete lines.
             */
            lines: number;
            /** Source */
            source: string;
        };
        /** LoginRequest */
        LoginRequest: {
            /**
             * Device
             * @description Where the token will live, for the list of tokens.
             */
            device?: string;
            /**
             * Password
             * Format: password
             */
            password: string;
            /** Username */
            username: string;
        };
        /**
         * Me
         * @description Who is asking.
         */
        Me: {
            /** Display Name */
            display_name: string;
            /** Id */
            id: string;
            /** Is Admin */
            is_admin: boolean;
            /**
             * Kind
             * @description `user` or `job`.
             */
            kind: string;
            /** Projects */
            projects: components["schemas"]["ProjectRead"][];
            /** Server Version */
            server_version: string;
            token?: components["schemas"]["TokenRead"] | null;
            /** Username */
            username: string;
        };
        /** MemberPut */
        MemberPut: {
            role: components["schemas"]["Role"];
        };
        /** MemberRead */
        MemberRead: {
            /** Display Name */
            display_name: string;
            role: components["schemas"]["Role"];
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /** User Id */
            user_id: string;
            /** Username */
            username: string;
        };
        /** MetricLogged */
        MetricLogged: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Key */
            key: string;
            /** Step */
            step?: number;
            /** Value */
            value: number;
        };
        /** MetricPoint */
        MetricPoint: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Step */
            step: number;
            /** Value */
            value: number;
        };
        /**
         * MetricSeries
         * @description One metric of one attempt, by step. Repeated steps: the later attempt wins in the merged series.
         */
        MetricSeries: {
            /** Attempt */
            attempt: number;
            /** Key */
            key: string;
            /** Last */
            last?: number | null;
            /** Max */
            max?: number | null;
            /** Min */
            min?: number | null;
            /** Points */
            points: components["schemas"]["MetricPoint"][];
            /** Total */
            total: number;
        };
        /** Metrics */
        Metrics: {
            /**
             * Keys
             * @description All metrics there are, also those not asked for.
             */
            keys?: string[];
            /** Series */
            series: components["schemas"]["MetricSeries"][];
        };
        /** MetricsPost */
        MetricsPost: {
            /**
             * End
             * @description Byte offset after the last point.
             */
            end: number;
            /** Points */
            points: components["schemas"]["MetricLogged"][];
            /**
             * Start
             * @description Byte offset of the first point in the metrics file.
             */
            start: number;
        };
        /** ModelRead */
        ModelRead: {
            /**
             * Aliases
             * @description Version by alias.
             */
            aliases?: {
                [key: string]: string;
            };
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /** Latest Version */
            latest_version?: string | null;
            /** Name */
            name: string;
            /** Tags */
            tags?: {
                [key: string]: string;
            };
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /**
             * Url
             * @description Its page in MLflow.
             */
            url: string;
        };
        /**
         * ModelSpec
         * @description Register artifact `from` of a succeeded run under the name `register`.
         */
        ModelSpec: {
            /** From */
            from?: string;
            /** Register */
            register: string;
        };
        /**
         * ModelVersionRead
         * @description One version, with what the platform knows of its making.
         */
        ModelVersionRead: {
            /** Aliases */
            aliases: string[];
            /** Attempt Id */
            attempt_id?: string | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /** Environment Digest */
            environment_digest?: string | null;
            /** @description That registered it; null where it is no job of here. */
            job?: components["schemas"]["ResourceRef"] | null;
            /**
             * Metrics
             * @description Last values of its run.
             */
            metrics?: {
                [key: string]: number;
            };
            /** Name */
            name: string;
            /** Package */
            package?: string | null;
            /**
             * Parameters
             * @description Of its run.
             */
            parameters?: {
                [key: string]: string;
            };
            run?: components["schemas"]["ResourceRef"] | null;
            /** Status */
            status: string;
            /**
             * Tags
             * @description Without the platform's own.
             */
            tags?: {
                [key: string]: string;
            };
            /**
             * Url
             * @description Its page in MLflow.
             */
            url: string;
            /** Version */
            version: string;
        };
        /** NodeSamples */
        NodeSamples: {
            /** Attempt */
            attempt: number;
            /** Node */
            node: string;
            /** Points */
            points: components["schemas"]["SamplePoint"][];
        };
        /**
         * NodeUse
         * @description The last sample of a live node of a job.
         */
        NodeUse: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Attempt */
            attempt: number;
            /** Cpu Cores */
            cpu_cores: number;
            /** Gpu Memory Bytes */
            gpu_memory_bytes?: number | null;
            /**
             * Gpu Utilisation
             * @description Percent, over its accelerators.
             */
            gpu_utilisation?: number | null;
            job: components["schemas"]["ResourceRef"];
            /** Memory Bytes */
            memory_bytes: number;
            /** Memory Limit Bytes */
            memory_limit_bytes?: number | null;
            /** Node */
            node: string;
            /** Project */
            project: string;
        };
        /** Nodes */
        Nodes: {
            /** Nodes */
            nodes: components["schemas"]["NodeUse"][];
            /**
             * Truncated
             * @description There are more than are listed.
             * @default false
             */
            truncated: boolean;
        };
        /** PackageCreate */
        PackageCreate: {
            /** Digest */
            digest: string;
            /**
             * Name
             * @description Folder it came from, for people.
             */
            name?: string | null;
            /**
             * Size
             * @description Bytes of the whole archive.
             */
            size: number;
        };
        /** PackageEntry */
        PackageEntry: {
            /**
             * Checksum
             * @description `crc32:…` of the content: with the size it tells whether two files differ.
             */
            checksum: string;
            /** Mode */
            mode: number;
            /** Path */
            path: string;
            /** Size */
            size: number;
        };
        /** PackageFile */
        PackageFile: {
            /** Mode */
            mode: number;
            /** Path */
            path: string;
            /** Size */
            size: number;
        };
        /**
         * PackageFiles
         * @description Files of a package, in the order in which they were packed.
         */
        PackageFiles: {
            /** Files */
            files: components["schemas"]["PackageEntry"][];
            /**
             * Next
             * @description `start` of the next part; null at the end.
             */
            next?: number | null;
            /** Total */
            total: number;
        };
        /** PackageRead */
        PackageRead: {
            /** Complete */
            complete: boolean;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Digest */
            digest: string;
            /** Files */
            files?: number | null;
            /** Name */
            name: string | null;
            /** Size */
            size: number;
            /** Uncompressed Size */
            uncompressed_size?: number | null;
            /**
             * Used By Jobs
             * @default 0
             */
            used_by_jobs: number;
        };
        /** PackageShow */
        PackageShow: {
            /** Complete */
            complete: boolean;
            /** Contents */
            contents: components["schemas"]["PackageFile"][];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Digest */
            digest: string;
            /** Files */
            files?: number | null;
            /** Name */
            name: string | null;
            /** Size */
            size: number;
            /**
             * Truncated
             * @description True where only the first files are listed.
             * @default false
             */
            truncated: boolean;
            /** Uncompressed Size */
            uncompressed_size?: number | null;
            /**
             * Used By Jobs
             * @default 0
             */
            used_by_jobs: number;
        };
        /**
         * PackageUpload
         * @description Where an upload stands. Send the parts not yet received, then complete it.
         */
        PackageUpload: {
            package: components["schemas"]["PackageRead"];
            /**
             * Part Size
             * @default 8388608
             */
            part_size: number;
            /**
             * Parts
             * @description How many parts the archive has.
             */
            parts: number;
            /**
             * Received
             * @description Numbers of the parts the platform has, from 0.
             */
            received: number[];
        };
        /** Page[ArtifactRead] */
        Page_ArtifactRead_: {
            /** Items */
            items: components["schemas"]["ArtifactRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[AttemptRead] */
        Page_AttemptRead_: {
            /** Items */
            items: components["schemas"]["AttemptRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[ClusterRead] */
        Page_ClusterRead_: {
            /** Items */
            items: components["schemas"]["ClusterRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[EnvironmentRead] */
        Page_EnvironmentRead_: {
            /** Items */
            items: components["schemas"]["EnvironmentRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[EventRead] */
        Page_EventRead_: {
            /** Items */
            items: components["schemas"]["EventRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[JobRead] */
        Page_JobRead_: {
            /** Items */
            items: components["schemas"]["JobRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[LogSource] */
        Page_LogSource_: {
            /** Items */
            items: components["schemas"]["LogSource"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[MemberRead] */
        Page_MemberRead_: {
            /** Items */
            items: components["schemas"]["MemberRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[ModelRead] */
        Page_ModelRead_: {
            /** Items */
            items: components["schemas"]["ModelRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[ModelVersionRead] */
        Page_ModelVersionRead_: {
            /** Items */
            items: components["schemas"]["ModelVersionRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[PackageRead] */
        Page_PackageRead_: {
            /** Items */
            items: components["schemas"]["PackageRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[PoolRead] */
        Page_PoolRead_: {
            /** Items */
            items: components["schemas"]["PoolRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[ProjectRead] */
        Page_ProjectRead_: {
            /** Items */
            items: components["schemas"]["ProjectRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[TokenRead] */
        Page_TokenRead_: {
            /** Items */
            items: components["schemas"]["TokenRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** Page[UserRead] */
        Page_UserRead_: {
            /** Items */
            items: components["schemas"]["UserRead"][];
            /**
             * Next
             * @description Cursor of the next page; null only at the real end.
             */
            next?: string | null;
            /**
             * Total
             * @description How many rows match, where it is cheap to know.
             */
            total?: number | null;
        };
        /** PasswordChange */
        PasswordChange: {
            /**
             * New Password
             * Format: password
             */
            new_password: string;
            /**
             * Old Password
             * Format: password
             */
            old_password: string;
        };
        /** PlatformHealth */
        PlatformHealth: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Dependencies */
            dependencies: components["schemas"]["Dependency"][];
            /** Queues */
            queues: components["schemas"]["Queue"][];
            /**
             * Status
             * @description `ready`, `degraded` or `unavailable`, as `/readyz` has it.
             */
            status: string;
            /**
             * Stuck
             * @description At most 100, the oldest first.
             */
            stuck: components["schemas"]["Stuck"][];
            versions: components["schemas"]["Versions"];
        };
        /** PoolCreate */
        PoolCreate: {
            /**
             * Accelerator
             * @description Such as `nvidia-h100`; `logical` = counted only.
             */
            accelerator?: string | null;
            /**
             * Cpu
             * @description Cores of one machine.
             */
            cpu: number;
            /** Description */
            description?: string;
            /**
             * Gpu
             * @description Accelerators of one machine.
             */
            gpu?: number;
            /**
             * Is Default
             * @description Used where a job names no pool: one default with GPUs, one without.
             */
            is_default?: boolean;
            /**
             * Labels
             * @description Labels of its nodes on Kubernetes.
             */
            labels?: {
                [key: string]: string;
            };
            /** Machines */
            machines?: number;
            /**
             * Memory
             * @description Memory of one machine.
             * @example 2Gi
             */
            memory: string;
            /** Name */
            name: string;
            /**
             * Price Per Hour
             * @description Of one whole machine, in the platform's currency.
             */
            price_per_hour?: number;
            /** Spot */
            spot?: boolean;
        };
        /**
         * PoolFit
         * @description Whether one node set can ever fit, and what the largest that could is.
         */
        PoolFit: {
            /** Group */
            group: string;
            /** Nodes */
            nodes: number;
            /** Pool */
            pool: string;
            /** Price Per Hour */
            price_per_hour: number;
        };
        /** PoolPatch */
        PoolPatch: {
            /** Accelerator */
            accelerator?: string | null;
            /** Cpu */
            cpu?: number | null;
            /** Description */
            description?: string | null;
            /** Gpu */
            gpu?: number | null;
            /** Is Default */
            is_default?: boolean | null;
            /** Machines */
            machines?: number | null;
            /** Memory */
            memory?: string | null;
            /** Price Per Hour */
            price_per_hour?: number | null;
            /** Spot */
            spot?: boolean | null;
        };
        /** PoolRead */
        PoolRead: {
            /** Accelerator */
            accelerator: string | null;
            /** Cpu */
            cpu: number;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /** Etag */
            etag: string;
            /** Gpu */
            gpu: number;
            /** Id */
            id: string;
            in_use: components["schemas"]["PoolUse"];
            /** Is Default */
            is_default: boolean;
            /** Labels */
            labels: {
                [key: string]: string;
            };
            /** Machines */
            machines: number;
            /**
             * Memory
             * @example 2Gi
             */
            memory: string;
            /** Name */
            name: string;
            /** Price Per Hour */
            price_per_hour: number;
            /** Spot */
            spot: boolean;
        };
        /** PoolUsage */
        PoolUsage: {
            capacity: components["schemas"]["PoolUse"];
            /**
             * Held
             * @description By admitted jobs and clusters, the largest first.
             */
            held: components["schemas"]["Share"][];
            /** Machines */
            machines: number;
            /** Pool */
            pool: string;
            /**
             * Waiting
             * @description Asked for by queued ones.
             */
            waiting: components["schemas"]["Share"][];
        };
        /** PoolUse */
        PoolUse: {
            /**
             * Cpu
             * @default 0
             */
            cpu: number;
            /**
             * Gpu
             * @default 0
             */
            gpu: number;
            /**
             * Memory Bytes
             * @default 0
             */
            memory_bytes: number;
        };
        /**
         * Priority
         * @enum {string}
         */
        Priority: "low" | "normal" | "high";
        /** Problem */
        Problem: {
            /**
             * Code
             * @description Stable and lower snake case, such as `can_never_fit`.
             */
            code: string;
            /** Data */
            data?: {
                [key: string]: unknown;
            };
            /** Detail */
            detail: string;
            /** Errors */
            errors?: components["schemas"]["FieldProblem"][];
            /** Hint */
            hint?: string | null;
            /** Request Id */
            request_id?: string | null;
            /** Status */
            status: number;
            /** Title */
            title: string;
            /** Type */
            type?: string;
        };
        /**
         * ProcessReport
         * @description How the attempt's process stands, whole each time: the last one counts.
         */
        ProcessReport: {
            artifacts?: components["schemas"]["ReportedArtifacts"] | null;
            /** Ended At */
            ended_at?: string | null;
            /** Exit Code */
            exit_code?: number | null;
            failure?: components["schemas"]["ReportedFailure"] | null;
            /** Oom Kills */
            oom_kills?: number;
            /**
             * Setting Up
             * @description What it still waits for, as a sentence.
             */
            setting_up?: string | null;
            /**
             * Shipped
             * @description Logs, metrics and artifacts of its node are all handed in.
             */
            shipped?: boolean;
            /** Signal */
            signal?: number | null;
            /** Started At */
            started_at?: string | null;
            /**
             * Stopped
             * @description It was asked to end.
             */
            stopped?: boolean;
            /** Timed Out */
            timed_out?: boolean;
        };
        /** ProjectCreate */
        ProjectCreate: {
            /** Description */
            description?: string;
            /**
             * Guarantees
             * @description Machines of each pool that are the project's own, parts of one included. They are lent out while the project does not use them.
             */
            guarantees?: {
                [key: string]: number;
            };
            limits?: components["schemas"]["ProjectLimits"];
            /** Name */
            name: string;
            /**
             * Team
             * @description The team that owns it; the default team if absent.
             */
            team?: string | null;
        };
        /**
         * ProjectHome
         * @description What runs, what waits and why, and what failed lately; each list the first ones only.
         */
        ProjectHome: {
            counts: components["schemas"]["JobCounts"];
            /**
             * Ended
             * @description How the jobs ended that ended since `since`.
             */
            ended: {
                [key: string]: number;
            };
            /**
             * Failed
             * @description Failed since `since`, latest first.
             */
            failed: components["schemas"]["JobRead"][];
            /**
             * Failures
             * @description Classes of those that failed since `since`.
             */
            failures: {
                [key: string]: number;
            };
            /**
             * Running
             * @description Admitted or further, latest first.
             */
            running: components["schemas"]["JobRead"][];
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /**
             * Waiting
             * @description Queued, longest first; `reason`, `message` and `queue` say why.
             */
            waiting: components["schemas"]["JobRead"][];
        };
        /**
         * ProjectLimits
         * @description What the live jobs and clusters of a project may use together; null = no limit of its own.
         */
        ProjectLimits: {
            /** Cpu */
            cpu?: number | null;
            /** Gpu */
            gpu?: number | null;
            /**
             * Jobs
             * @description Unfinished jobs at once, queued ones included.
             */
            jobs?: number | null;
            /** Memory Gib */
            memory_gib?: number | null;
        };
        /** ProjectPatch */
        ProjectPatch: {
            /** Description */
            description?: string | null;
            /** Guarantees */
            guarantees?: {
                [key: string]: number;
            } | null;
            limits?: components["schemas"]["ProjectLimits"] | null;
        };
        /** ProjectRead */
        ProjectRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /** Etag */
            etag: string;
            /**
             * Guarantees
             * @description Machines of each pool that are the project's own.
             */
            guarantees?: {
                [key: string]: number;
            };
            /** Id */
            id: string;
            limits: components["schemas"]["ProjectLimits"];
            /**
             * Live Jobs
             * @default 0
             */
            live_jobs: number;
            /** Mlflow Url */
            mlflow_url: string;
            /** Name */
            name: string;
            /** @description What the caller may do here; null for platform admins without membership. */
            role?: components["schemas"]["Role"] | null;
            /** Team */
            team: string;
        };
        /**
         * ProjectUsage
         * @description One of the caller's projects over all pools.
         */
        ProjectUsage: {
            held: components["schemas"]["PoolUse"];
            limits: components["schemas"]["ProjectLimits"];
            /** Project */
            project: string;
        };
        /**
         * Queue
         * @description Rows of one kind that operators look after, or the effects that workers carry out.
         */
        Queue: {
            /**
             * Due
             * @description To be looked at now and held by nobody; counted up to 10,000.
             */
            due: number;
            /**
             * Failing
             * @description Whose last try failed; of the outbox those that were given up.
             */
            failing: number;
            /**
             * Held
             * @description Being worked on.
             */
            held: number;
            /**
             * Lag Seconds
             * @description How long the oldest of them has been waiting.
             */
            lag_seconds: number;
            /**
             * Name
             * @enum {string}
             */
            name: "job" | "cluster" | "environment" | "outbox";
        };
        /**
         * QueuePlace
         * @description Where something stands among all that wait for machines of a pool.
         */
        QueuePlace: {
            /** Pool */
            pool: string;
            /**
             * Position
             * @description 1 = the next one.
             */
            position: number;
        };
        /** Readiness */
        Readiness: {
            /** Dependencies */
            dependencies: components["schemas"]["Dependency"][];
            /**
             * Status
             * @description `ready`, `degraded` (something optional is away) or `unavailable`.
             */
            status: string;
        };
        /** RegisteredModel */
        RegisteredModel: {
            /** Name */
            name: string;
            /** Url */
            url?: string | null;
            /** Version */
            version: string;
        };
        /**
         * ReplicaRange
         * @description Nodes of a group: `min` are started, and may grow to `max` where the engine autoscales.
         */
        ReplicaRange: {
            /**
             * Max
             * @default 1
             */
            max: number;
            /**
             * Min
             * @default 1
             */
            min: number;
        };
        /**
         * ReportedArtifacts
         * @description How far the files of the output folder are handed in.
         */
        ReportedArtifacts: {
            /** Bytes */
            bytes: number;
            /** Bytes Stored */
            bytes_stored: number;
            /** Files */
            files: number;
            /** Files Stored */
            files_stored: number;
            /**
             * Left Out
             * @description Cannot be stored, with why.
             */
            left_out?: string[];
            /** Left Out Count */
            left_out_count?: number;
            /**
             * Missing
             * @description Not stored, the first few.
             */
            missing?: string[];
            /**
             * Until
             * Format: date-time
             * @description By then the agent has given up at the latest.
             */
            until: string;
        };
        /**
         * ReportedFailure
         * @description Why the process could not be started.
         */
        ReportedFailure: {
            failure_class: components["schemas"]["FailureClass"];
            /** Hint */
            hint?: string | null;
            /**
             * Is Final
             * @description False: it is being tried again.
             */
            is_final?: boolean;
            /** Last Lines */
            last_lines?: string[];
            /** Message */
            message: string;
        };
        /** ResourceRef */
        ResourceRef: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Url */
            url?: string | null;
        };
        /**
         * Resources
         * @description The shape of one Ray cluster.
         */
        "Resources-Input": {
            /** Groups */
            groups?: components["schemas"]["WorkerGroup-Input"][];
            head?: components["schemas"]["Head-Input"];
        };
        /**
         * Resources
         * @description The shape of one Ray cluster.
         */
        "Resources-Output": {
            /** Groups */
            groups?: components["schemas"]["WorkerGroup-Output"][];
            /**
             * @default {
             *       "cpu": 1,
             *       "memory": "2Gi"
             *     }
             */
            head: components["schemas"]["Head-Output"];
        };
        /**
         * Retries
         * @description Which failures are tried again, and how often. Preemption never counts against `max`.
         */
        Retries: {
            /** Max */
            max?: number;
            /**
             * Memory Factor
             * @description Memory of the next attempt after `oom`.
             */
            memory_factor?: number;
            /** On */
            on?: components["schemas"]["FailureClass"][];
        };
        /**
         * Role
         * @description What a member may do in a project; each role includes the ones before it.
         * @enum {string}
         */
        Role: "viewer" | "editor" | "owner";
        /**
         * RunSpec
         * @description Where the MLflow runs of the job go.
         */
        RunSpec: {
            /** Experiment */
            experiment?: string | null;
            /** Tags */
            tags?: {
                [key: string]: string;
            };
        };
        /** Sample */
        Sample: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Cpu Cores */
            cpu_cores: number;
            /** Gpus */
            gpus?: components["schemas"]["GpuSample"][];
            /** Memory Bytes */
            memory_bytes: number;
            /** Memory Limit Bytes */
            memory_limit_bytes?: number | null;
        };
        /** SamplePoint */
        SamplePoint: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Cpu Cores */
            cpu_cores: number;
            /** Gpu Memory Bytes */
            gpu_memory_bytes?: number | null;
            /** Gpu Utilisation */
            gpu_utilisation?: number | null;
            /** Memory Bytes */
            memory_bytes: number;
            /** Memory Limit Bytes */
            memory_limit_bytes?: number | null;
        };
        /** Samples */
        Samples: {
            /** Nodes */
            nodes: components["schemas"]["NodeSamples"][];
        };
        /** SamplesPost */
        SamplesPost: {
            /** Node */
            node: string;
            /** Samples */
            samples: components["schemas"]["Sample"][];
            /**
             * Sent At
             * @description The node's clock as this was sent.
             */
            sent_at?: string | null;
        };
        /**
         * SegmentStored
         * @description The server is the authority: the agent goes on from `next_byte`.
         */
        SegmentStored: {
            /** Next Byte */
            next_byte: number;
        };
        /**
         * SessionCreate
         * @description One proof of who signs in: a password, a token, or the code of a one-time link.
         */
        SessionCreate: {
            /**
             * Device
             * @description What the list of tokens calls the session.
             */
            device?: string;
            /**
             * Link
             * @description What follows `#link=` in a sign-in link.
             */
            link?: string | null;
            /** Password */
            password?: string | null;
            /**
             * Token
             * @description One of the person's own tokens.
             */
            token?: string | null;
            /** Username */
            username?: string | null;
        };
        /** SessionRead */
        SessionRead: {
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Username */
            username: string;
        };
        /**
         * Share
         * @description What one project holds or waits for in a pool; all projects that the caller cannot see are one.
         */
        Share: {
            /**
             * Clusters
             * @default 0
             */
            clusters: number;
            /**
             * Jobs
             * @default 0
             */
            jobs: number;
            /**
             * Project
             * @description Null = projects that the caller cannot see, together.
             */
            project: string | null;
            use: components["schemas"]["PoolUse"];
        };
        /** SignInLink */
        SignInLink: {
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /**
             * Url
             * @description Signs in whoever opens it first, as the person who asked for it.
             */
            url: string;
        };
        /**
         * Stuck
         * @description A resource that has not got on for longer than it should.
         */
        Stuck: {
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "job" | "cluster" | "environment";
            /** Name */
            name: string;
            /** Phase */
            phase: string;
            /** Project */
            project: string;
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /** Why */
            why: string;
        };
        /** TokenCreate */
        TokenCreate: {
            /**
             * Expires In
             * @description Null = 90 days.
             */
            expires_in?: string | null;
            /** Name */
            name: string;
            /**
             * Project
             * @description Limit the token to one project.
             */
            project?: string | null;
        };
        /** TokenCreated */
        TokenCreated: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /**
             * Is Sign In
             * @description Made by signing in, with the command or in a browser.
             * @default false
             */
            is_sign_in: boolean;
            /** Last Used At */
            last_used_at?: string | null;
            /** Name */
            name: string;
            /**
             * Prefix
             * @description First characters, to tell tokens apart.
             */
            prefix: string;
            /** Project */
            project: string | null;
            /**
             * Token
             * @description Shown once; only its hash is kept.
             */
            token: string;
        };
        /** TokenRead */
        TokenRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /**
             * Is Sign In
             * @description Made by signing in, with the command or in a browser.
             * @default false
             */
            is_sign_in: boolean;
            /** Last Used At */
            last_used_at?: string | null;
            /** Name */
            name: string;
            /**
             * Prefix
             * @description First characters, to tell tokens apart.
             */
            prefix: string;
            /** Project */
            project: string | null;
        };
        /** Usage */
        Usage: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Pools */
            pools: components["schemas"]["PoolUsage"][];
            /** Projects */
            projects: components["schemas"]["ProjectUsage"][];
        };
        /** UserCreate */
        UserCreate: {
            /** Display Name */
            display_name?: string;
            /** Is Admin */
            is_admin?: boolean;
            /**
             * Password
             * Format: password
             */
            password: string;
            /** Username */
            username: string;
        };
        /** UserPatch */
        UserPatch: {
            /** Active */
            active?: boolean | null;
            /** Display Name */
            display_name?: string | null;
            /** Is Admin */
            is_admin?: boolean | null;
            /** Password */
            password?: string | null;
        };
        /** UserRead */
        UserRead: {
            /** Active */
            active: boolean;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Display Name */
            display_name: string;
            /** Id */
            id: string;
            /** Is Admin */
            is_admin: boolean;
            /** Username */
            username: string;
        };
        /** Versions */
        Versions: {
            /** Client */
            client: string;
            /**
             * Mlflow
             * @description Null where it does not answer.
             */
            mlflow?: string | null;
            /** Postgres */
            postgres: string;
            /** Python */
            python: string;
            /** Schema Revision */
            schema_revision: string;
            /** Server */
            server: string;
        };
        /**
         * Why
         * @description Why a job is where it is: the reason in words, what blocks it, what would start it.
         */
        Why: {
            /**
             * Ahead
             * @description The first ones before it in that queue.
             */
            ahead?: components["schemas"]["Ahead"][];
            /** Blockers */
            blockers?: components["schemas"]["Blocker"][];
            /** Message */
            message: string;
            phase: components["schemas"]["JobPhase"];
            /**
             * Position
             * @description 1 = next in its queue; null when not queued.
             */
            position?: number | null;
            /** @description Its place in the queue of the pool that it lacks. */
            queue?: components["schemas"]["QueuePlace"] | null;
            /** Reason */
            reason: string;
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /**
             * Usual Seconds
             * @description Median time of this phase in this project.
             */
            usual_seconds?: number | null;
            /**
             * Would Start Now
             * @description Changes that would let it start now.
             */
            would_start_now?: string[];
        };
        /**
         * WorkerGroup
         * @description `replicas` equal Ray nodes of one pool.
         */
        "WorkerGroup-Input": {
            /** Cpu */
            cpu?: number;
            /**
             * Gpu
             * @description Accelerators per node: whole, or one fraction below 1.
             */
            gpu?: number;
            /** Labels */
            labels?: {
                [key: string]: string;
            };
            /**
             * Memory
             * @example 2Gi
             */
            memory?: string;
            /** Name */
            name: string;
            /**
             * Pool
             * @description Pool; the default GPU pool if `gpu` is asked for, else the CPU one.
             */
            pool?: string | null;
            /**
             * @example 2
             * @example 1..4
             */
            replicas?: string;
        };
        /**
         * WorkerGroup
         * @description `replicas` equal Ray nodes of one pool.
         */
        "WorkerGroup-Output": {
            /**
             * Cpu
             * @default 1
             */
            cpu: number;
            /**
             * Gpu
             * @description Accelerators per node: whole, or one fraction below 1.
             * @default 0
             */
            gpu: number;
            /** Labels */
            labels?: {
                [key: string]: string;
            };
            /**
             * Memory
             * @default 2Gi
             * @example 2Gi
             */
            memory: string;
            /** Name */
            name: string;
            /**
             * Pool
             * @description Pool; the default GPU pool if `gpu` is asked for, else the CPU one.
             */
            pool?: string | null;
            /**
             * @default 1
             * @example 2
             * @example 1..4
             */
            replicas: string;
        };
    };
    responses: {
        /** @description Any other problem: a wrong method, a client of another generation, an outage. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    start_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArtifactStart"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large (`too_large`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_artifact_part: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As `POST /agent/artifacts` answered it. */
                artifact: string;
                /** @description Counted from 0. */
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    complete_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As `POST /agent/artifacts` answered it. */
                artifact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArtifactComplete"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactUpload"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content does not match its digest (`digest_mismatch`); Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_cursors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cursors"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    post_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetricsPost"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentStored"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Bytes before this segment are missing (`log_gap`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_report: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessReport"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_result: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large (`too_large`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    post_samples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SamplesPost"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_segment: {
        parameters: {
            query?: never;
            header: {
                /** @description `driver`, `<node>/<pid>` or `<node>/<pid>/err`. */
                "x-log-source": string;
                /** @description First byte within the source. */
                "x-log-start": number;
                /** @description Bytes before compression. */
                "x-log-length": number;
                /** @description At most 200 pairs `[byte offset in the segment, unix milliseconds]`. */
                "x-log-times"?: string;
                /** @description `gzip`, one member. */
                "content-encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SegmentStored"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Bytes before this segment are missing (`log_gap`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The attempt has ended (`attempt_over`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large (`too_large`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformHealth"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenCreated"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Limit reached (`limit_reached`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Limit reached (`limit_reached`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_nodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nodes"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_pools: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PoolRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_pool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PoolCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Name taken (`name_taken`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the pool. */
                pool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    delete_pool: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
            };
            path: {
                /** @description Name or id of the pool. */
                pool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    change_pool: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
            };
            path: {
                /** @description Name or id of the pool. */
                pool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PoolPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_projects: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ProjectRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Name taken (`name_taken`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    delete_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
            };
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    change_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
            };
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_clusters: {
        parameters: {
            query?: {
                /** @description May be given several times. */
                phase?: components["schemas"]["ClusterPhase"][] | null;
                /** @description A part of the name. */
                name?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ClusterRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_cluster: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClusterCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Name taken (`name_taken`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Can never fit (`can_never_fit`); Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_cluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the cluster. */
                cluster: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_cluster_events: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the cluster. */
                cluster: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_EventRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    stop_cluster: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Id or name of the cluster. */
                cluster: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It had ended already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterRead"];
                };
            };
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_environments: {
        parameters: {
            query?: {
                phase?: components["schemas"]["EnvironmentPhase"] | null;
                /** @description A part of the name. */
                name?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_EnvironmentRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_environment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnvironmentCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvironmentRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Name taken (`name_taken`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_environment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the environment. */
                environment: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvironmentRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    delete_environment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the environment. */
                environment: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description `job`, `cluster`, `environment`, … */
                resource?: string | null;
                /** @description Id of one resource. */
                resource_id?: string | null;
                /** @description May be given several times. */
                reason?: string[] | null;
                /** @description An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                since?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_EventRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_home: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectHome"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description One of `created_at`, `name`, `phase`, `kind`, `created_by`, `started_at`, `ended_at`; with `-` descending. Empty ones last. */
                order_by?: string;
                /** @description May be given several times. */
                phase?: components["schemas"]["JobPhase"][] | null;
                /** @description May be given several times. */
                kind?: components["schemas"]["JobKind"][] | null;
                /** @description Class of the failure. May be given several times. */
                failure?: components["schemas"]["FailureClass"][] | null;
                /** @description Words that all must match: a part of the name or of a tag of the run, `tag=value`, or the start of the id. */
                search?: string | null;
                /** @description A part of the name. */
                name?: string | null;
                /** @description A username, exactly. */
                created_by?: string | null;
                /** @description Created since. An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                since?: string | null;
                /** @description Created before. An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                until?: string | null;
                /** @description Id or name of a named cluster. */
                cluster?: string | null;
                /** @description Digest of the package they run. */
                package?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_JobRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_job: {
        parameters: {
            query?: {
                /** @description Only say what would happen. */
                dry_run?: boolean;
            };
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobCreate-Input"];
            };
        };
        responses: {
            /** @description With `dry_run`: what would happen; nothing is kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Can never fit (`can_never_fit`); Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Limit reached (`limit_reached`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag that is known already. */
                "if-none-match"?: string | null;
            };
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRead"];
                };
            };
            /** @description Still as `If-None-Match` says. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_artifacts: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
                /** @description Only this file, or those below this folder. */
                path?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ArtifactRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_artifact_content: {
        parameters: {
            query: {
                /** @description As the list has it. */
                path: string;
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
            };
            header?: {
                /** @description One range, such as `bytes=1000-`. */
                Range?: string | null;
            };
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The part of it that `Range` asks for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`); Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `Range` starts after the end. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    log_artifact: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArtifactLog"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`); Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AttemptRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_job_environment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvironmentRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_job_events: {
        parameters: {
            query?: {
                /** @description Only of this attempt. */
                attempt?: number | null;
                /** @description The other way round. */
                newest_first?: boolean;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_EventRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    read_logs: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
                /** @description `driver`, `worker`, a node, `<node>/<pid>`, or a source exactly; may be repeated. */
                source?: string[] | null;
                /** @description Only the last lines. */
                tail?: number | null;
                /** @description An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                since?: string | null;
                /** @description An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                until?: string | null;
                /** @description First line of one source. */
                start_line?: number | null;
                /** @description Line behind the last one. */
                end_line?: number | null;
                /** @description Only lines with this text. */
                grep?: string | null;
                /** @description For `grep`. */
                ignore_case?: boolean;
                /** @description Lines per page. */
                limit?: number;
                /** @description `next` or `resume` of an answer. */
                cursor?: string | null;
                /** @description Stream what is there and what comes, as server-sent events. */
                follow?: boolean;
            };
            header?: {
                /** @description With `follow`: go on behind this event. */
                "last-event-id"?: string | null;
            };
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lines; with `follow` a stream of `log` events (`LogChunk`), and last an `end` (`LogEnd`). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                    "text/event-stream": {
                        /** @description JSON. */
                        data?: string;
                        event?: string;
                        /** @description Cursor behind it, for `Last-Event-ID`. */
                        id?: string;
                        retry?: number;
                    };
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    download_logs: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
                /** @description One source exactly; a tar archive of all if absent. */
                source?: string | null;
                /** @description First byte, of one source. */
                start?: number;
                /** @description Byte behind the last one. */
                end?: number | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of one source, or a tar archive of all. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/x-tar": string;
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_log_sources: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_LogSource_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_metrics: {
        parameters: {
            query?: {
                /** @description Only of this attempt; all of them merged if absent. */
                attempt?: number | null;
                /** @description May be given several times. */
                key?: string[] | null;
                /** @description Per series. */
                max_points?: number;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metrics"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_result: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the function returned or raised, as `client.remote` packed it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_job_run: {
        parameters: {
            query?: {
                /** @description The current one if absent. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRun"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_samples: {
        parameters: {
            query?: {
                /** @description Number of an attempt; the current one if absent. */
                attempt?: number | null;
                /** @description Only of this node. */
                node?: string | null;
                /** @description Per node. */
                max_points?: number;
            };
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Samples"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    explain_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelRequest"] | null;
            };
        };
        responses: {
            /** @description It had ended already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRead"];
                };
            };
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    retry_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that is to be changed; `*` = any. */
                "If-Match"?: string | null;
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Id or name of the job. */
                job: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`); Not possible in this phase (`wrong_phase`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Changed meanwhile (`version_conflict`) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Limit reached (`limit_reached`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    count_jobs: {
        parameters: {
            query?: {
                /** @description May be given several times. */
                phase?: components["schemas"]["JobPhase"][] | null;
                /** @description May be given several times. */
                kind?: components["schemas"]["JobKind"][] | null;
                /** @description Class of the failure. May be given several times. */
                failure?: components["schemas"]["FailureClass"][] | null;
                /** @description Words that all must match: a part of the name or of a tag of the run, `tag=value`, or the start of the id. */
                search?: string | null;
                /** @description A part of the name. */
                name?: string | null;
                /** @description A username, exactly. */
                created_by?: string | null;
                /** @description Created since. An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                since?: string | null;
                /** @description Created before. An RFC 3339 time such as `2026-12-01T08:00:00Z`, or a duration such as `10m` back from now. */
                until?: string | null;
                /** @description Id or name of a named cluster. */
                cluster?: string | null;
                /** @description Digest of the package they run. */
                package?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobCounts"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_members: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_MemberRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Username or id. */
                user: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    remove_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Username or id. */
                user: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_models: {
        parameters: {
            query?: {
                /** @description A part of the name. */
                name?: string | null;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ModelRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                model: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_model_versions: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name of the model. */
                model: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ModelVersionRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Temporarily unavailable (`unavailable`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_packages: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PackageRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackageCreate"];
            };
        };
        responses: {
            /** @description It was begun before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageUpload"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageUpload"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageShow"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    delete_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_package_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range, such as `bytes=1000-`. */
                Range?: string | null;
            };
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The zip archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description The part of it that `Range` asks for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `Range` starts after the end. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_package_files: {
        parameters: {
            query?: {
                /** @description Number of the first one, from 0. */
                start?: number;
                /** @description Files of one answer. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageFiles"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_package_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description As the list of files has it. */
                path: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large (`too_large`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`); Unsafe package (`unsafe_package`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    put_package_part: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Counted from 0. */
                number: number;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageUpload"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    complete_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `sha256:` and the hexadecimal sha256 of the whole archive. */
                digest: string;
                /** @description Name or id of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not possible in this phase (`wrong_phase`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content does not match its digest (`digest_mismatch`); Unsafe package (`unsafe_package`); Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Limit reached (`limit_reached`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_session_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    follow_events: {
        parameters: {
            query?: {
                /** @description Name or id; may be given several times. All that the caller can see if absent. */
                project?: string[] | null;
                /** @description Only this job, by id, or by name within one project. */
                job?: string | null;
                /** @description Id of the last event that was seen. */
                cursor?: string | null;
            };
            header?: {
                /** @description The same, as browsers send it. */
                "last-event-id"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events: first `ready` (empty), then `event` (`EventRead`) and `job` (`JobRead`). The ids of the first two are cursors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description JSON. */
                        data?: string;
                        event?: string;
                        /** @description Cursor behind it, for `Last-Event-ID`. */
                        id?: string;
                        retry?: number;
                    };
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Ambiguous name (`ambiguous_name`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_tokens: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_TokenRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenCreated"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token; `current` is the one of this request. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token; `current` is the one of this request. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next` of the page before; only for the same list. */
                cursor?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_UserRead_"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeat a request with the same key and body and it is done once; kept for a day. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Name taken (`name_taken`); Idempotency key reused with another request (`idempotency_mismatch`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Username or id. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    change_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Username or id. */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
            /** @description Not signed in (`not_signed_in`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed (`not_allowed`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Still in use (`still_in_use`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_client_page: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get_client_wheel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the wheel, as the page shows it. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description Not found (`not_found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Invalid request (`invalid`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
