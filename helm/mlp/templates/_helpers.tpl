{{/* Names. Everything is called RELEASE-COMPONENT. */}}
{{- define "mlp.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Labels that select; they never change. Takes (list CONTEXT COMPONENT). */}}
{{- define "mlp.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: mlp
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "mlp.labels" -}}
{{- $ := index . 0 -}}
{{ include "mlp.selector" . }}
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version }}
{{- end }}

{{/* An image's full name. Takes (list CONTEXT IMAGE); a digest wins over a tag. */}}
{{- define "mlp.image" -}}
{{- $ := index . 0 -}}{{- $image := index . 1 -}}
{{- $registry := default $image.registry $.Values.imageRegistry -}}
{{- $name := ternary (printf "%s/%s" $registry $image.repository) $image.repository (not (empty $registry)) -}}
{{- if $image.digest -}}{{ $name }}@{{ $image.digest }}
{{- else -}}{{ $name }}:{{ default $.Chart.AppVersion $image.tag }}
{{- end -}}
{{- end }}

{{- define "mlp.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Names of Secrets: generated here, or the ones that were given. */}}
{{- define "mlp.secret.keys" -}}{{ default (printf "%s-keys" (include "mlp.fullname" .)) .Values.keys.existingSecret }}{{- end }}
{{- define "mlp.secret.database" -}}
{{- if .Values.postgres.enabled }}{{ include "mlp.fullname" . }}-postgres{{ else }}{{ required "database.existingSecret: the Secret with the URLs of an external Postgres (or postgres.enabled=true for a trial)" .Values.database.existingSecret }}{{ end -}}
{{- end }}
{{- define "mlp.secret.redis" -}}
{{- if .Values.valkey.enabled }}{{ include "mlp.fullname" . }}-valkey{{ else }}{{ required "redis.existingSecret: the Secret with the URL of an external Valkey or Redis (or valkey.enabled=true for a trial)" .Values.redis.existingSecret }}{{ end -}}
{{- end }}
{{- define "mlp.secret.objects" -}}
{{- if .Values.objects.enabled }}{{ include "mlp.fullname" . }}-objects{{ else }}{{ .Values.objectStore.existingSecret }}{{ end -}}
{{- end }}

{{- define "mlp.objectStoreUrl" -}}
{{- if .Values.objects.enabled }}s3://mlp{{ else }}{{ required "objectStore.url: s3://BUCKET/PREFIX (or objects.enabled=true for a trial)" .Values.objectStore.url | trimSuffix "/" }}{{ end -}}
{{- end }}

{{/* A value that is made once: what the cluster has wins over a new one. Takes (list CONTEXT SECRET KEY LENGTH). */}}
{{- define "mlp.kept" -}}
{{- $ := index . 0 -}}
{{- $found := lookup "v1" "Secret" $.Release.Namespace (index . 1) -}}
{{- if and $found (hasKey $found.data (index . 2)) -}}{{ index $found.data (index . 2) | b64dec }}
{{- else -}}{{ randAlphaNum (int (index . 3)) }}
{{- end -}}
{{- end }}

{{- define "mlp.env.database" -}}
- name: MLP_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ include "mlp.secret.database" . }}, key: {{ .Values.database.urlKey }}}}
{{- end }}

{{/* How to sign in to the object store: fixed keys, or nothing where the cloud gives the pod an identity. */}}
{{- define "mlp.env.objects" -}}
{{- $endpoint := .Values.objectStore.endpoint -}}
{{- if .Values.objects.enabled }}{{ $endpoint = printf "http://%s-objects:7070" (include "mlp.fullname" .) }}{{ end -}}
{{- with include "mlp.secret.objects" . }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: {secretKeyRef: {name: {{ . }}, key: access-key-id}}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: {secretKeyRef: {name: {{ . }}, key: secret-access-key}}
{{- end }}
- name: AWS_REGION
  value: {{ .Values.objectStore.region | quote }}
{{- with $endpoint }}
- name: AWS_ENDPOINT_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{/* The settings that api, operator, worker and bootstrap share. */}}
{{- define "mlp.env" -}}
{{ include "mlp.env.database" . }}
- name: MLP_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ include "mlp.secret.redis" . }}, key: {{ .Values.redis.urlKey }}}}
- name: MLP_SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ include "mlp.secret.keys" . }}, key: secret-key}}
- name: MLP_OBJECT_STORE_URL
  value: {{ include "mlp.objectStoreUrl" . | quote }}
{{ include "mlp.env.objects" . | trim }}
- name: MLP_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: MLP_INTERNAL_URL
  value: http://{{ include "mlp.fullname" . }}-api.{{ .Release.Namespace }}.svc:8080
- name: MLP_MLFLOW_URL
  value: http://{{ include "mlp.fullname" . }}-mlflow:5000
- name: MLP_ENGINE
  value: kubernetes
- name: MLP_DATA_DIR
  value: /tmp/mlp
- name: MLP_METRICS_PORT
  value: "9090"
- name: MLP_LOG_RETENTION_DAYS
  value: {{ .Values.retention.logDays | quote }}
- name: MLP_PACKAGE_RETENTION_DAYS
  value: {{ .Values.retention.packageDays | quote }}
- name: MLP_ENVIRONMENT_RETENTION_DAYS
  value: {{ .Values.retention.environmentDays | quote }}
{{- end }}

{{/* What Pod Security `restricted` asks of a pod, and more. Takes (list CONTEXT UID). */}}
{{- define "mlp.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ index . 1 }}
runAsGroup: {{ index . 1 }}
fsGroup: {{ index . 1 }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "mlp.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Where a component's pods go. Takes (list CONTEXT COMPONENT VALUES). */}}
{{- define "mlp.placement" -}}
{{- $ := index . 0 -}}{{- $values := index . 2 -}}
{{- with $.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with default $.Values.nodeSelector $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default $.Values.tolerations $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "mlp.selector" (list $ (index . 1)) | nindent 8 }}
{{- end }}

{{/* Waits until the schema is one that this image can work on, so that a pod never starts only to die of it. */}}
{{- define "mlp.waitForSchema" -}}
- name: schema
  image: {{ include "mlp.image" (list . .Values.image) }}
  imagePullPolicy: {{ .Values.imagePullPolicy }}
  command: [python, -m, mlp_core.migrate, wait]
  env:
    {{- include "mlp.env.database" . | nindent 4 }}
  resources:
    {{- toYaml .Values.migrate.resources | nindent 4 }}
  securityContext:
    {{- include "mlp.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - {name: tmp, mountPath: /tmp}
{{- end }}
