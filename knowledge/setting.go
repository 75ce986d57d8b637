package knowledge

// The live settings that the store keeps, and their values. A setting that was never
// set is empty.
const (
	// SettingInject is the kill switch of auto-injection: SettingOff puts no library
	// before the model unasked, whatever the libraries say.
	SettingInject = "inject"

	SettingOn  = "on"
	SettingOff = "off"
)
